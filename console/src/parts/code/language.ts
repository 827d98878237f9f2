export type Language = 'yaml' | 'json' | 'python' | 'text';

const languages: Readonly<Record<string, Language>> = {
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
  ipynb: 'json',
  py: 'python',
  pyi: 'python',
};

export function languageOf(path: string): Language {
  return languages[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text';
}
