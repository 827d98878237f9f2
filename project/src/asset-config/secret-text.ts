// Every reader of an asset reads its config, and a digest keeps the config forever. So a secret in it is disclosed. This recognises secrets
// by their form. No check finds a secret without a form.

/** Issuers' prefixes of keys and tokens, private keys, JWTs, and a credential after its scheme. */
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

/** `api_key`, `DB_PASSWORD`: a variable or a parameter with such a name holds a secret. */
export function holdsSecretName(name: string): boolean {
  return /(?:^|[_-])(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)$/i.test(
    name.slice(0, 200),
  );
}
