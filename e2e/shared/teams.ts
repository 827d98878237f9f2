/** Teams of several files, by what their agents install. Each team makes a dependency image of its own. */
export const teams = { langgraph: 'graphs', langchain_openai: 'chats' } as const;
