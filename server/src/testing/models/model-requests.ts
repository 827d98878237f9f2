// Requests to the endpoints for clients of model vendors, without a key.
const body = Buffer.from('{}');
const model = { params: { model: 'small' } };

export const modelRequests = {
  'gateway.chat_completions': () => ({ body }),
  'gateway.responses': () => ({ body }),
  'gateway.embeddings': () => ({ body }),
  'gateway.messages': () => ({ body }),
  'gateway.count_tokens': () => ({ body }),
  'gateway.spans': () => ({ body }),
  'gateway.models': () => ({}),
  'gateway.model': () => model,
  'gemini.generate': () => ({ ...model, body }),
  'gemini.stream': () => ({ ...model, body }),
  'gemini.count_tokens': () => ({ ...model, body }),
  'gemini.embed': () => ({ ...model, body }),
  'gemini.embed_batch': () => ({ ...model, body }),
  'gemini.models': () => ({}),
  'gemini.model': () => model,
  'ollama.chat': () => ({ body }),
  'ollama.generate': () => ({ body }),
  'ollama.embed': () => ({ body }),
  'ollama.embeddings': () => ({ body }),
  'ollama.tags': () => ({}),
  'ollama.show': () => ({ body: { model: 'small' } }),
  'ollama.version': () => ({}),
};
