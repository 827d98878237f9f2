// Configs are read by everybody who may read the asset, and stay under their digest for ever: a secret in one is lost.
// What is found here is known by its form; a secret without any form of its own passes, and no check can tell it.

/** Prefixes of keys and tokens that their issuers gave them to be found by, private keys, JWTs, and a credential after its scheme. */
const forms = [
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16}/,
  /\b(?:ghp|gho|ghu|ghs|ghr|glpat|github_pat|xox[abprs]|hf|npm|pypi)[-_][A-Za-z0-9_-]{16}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30}/,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
  /\beyJ[A-Za-z0-9_-]{10,500}\.eyJ[A-Za-z0-9_-]{10}/,
  /\b(?:Bearer|Basic) [A-Za-z0-9+/=_.-]{20}/,
] as const;

export function looksLikeSecret(text: string): boolean {
  return forms.some((form) => form.test(text));
}

/** `api_key`, `DB_PASSWORD`: a variable or a parameter of this name holds a secret. */
export function holdsSecretName(name: string): boolean {
  return /(?:^|[_-])(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)$/i.test(
    name.slice(0, 200),
  );
}
