// The pages before the console: sign in, change the password, choose one with the token of a mail. They are an entry of their own, without
// router and client, so that they load at once and nothing of the console runs before the sign-in.
import '../theme.css';
import './entrance.css';
import type { ProblemDocument } from '@gantry/contract/problems.ts';
import { keepStylesheets } from '../parts/browser/stylesheets.ts';
import { applyTheme } from '../parts/browser/theme.ts';

keepStylesheets();
applyTheme();
const entrance = document.getElementById('entrance');
const pages: Readonly<Record<string, () => void>> = {
  '/sign-in': showSignIn,
  '/change-password': showChangePassword,
  '/set-password': showSetPassword,
};
pages[location.pathname]?.();

interface Input {
  name: string;
  label: string;
  type: 'email' | 'password';
  autocomplete: AutoFill;
  help?: string;
  value?: string;
}

interface Shown {
  title: string;
  about: string;
  inputs: readonly Input[];
  send: string;
  onSend: (values: Record<string, string>) => Promise<void>;
  below?: readonly Node[];
}

const new_password_help = 'At least 8 characters, and not the current one.';

function showSignIn(): void {
  show({
    title: 'Sign in',
    about: '',
    inputs: [
      { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' },
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
    ],
    send: 'Sign in',
    onSend: async (values) => {
      const { must_change_password } = await post<{ must_change_password: boolean }>('browser-session', values);
      location.assign(must_change_password ? '/change-password' : nextPage());
    },
  });
}

function showChangePassword(): void {
  const signOut = element('button', { type: 'button', className: 'link', textContent: 'Sign out' });
  signOut.addEventListener('click', () => {
    void post('revoke', {}).finally(() => location.assign('/sign-in'));
  });
  show({
    title: 'Change your password',
    about: 'Your other sessions end. A first sign-in continues only with a password of your own.',
    inputs: [
      { name: 'old_password', label: 'Current password', type: 'password', autocomplete: 'current-password' },
      {
        name: 'new_password',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        help: new_password_help,
      },
    ],
    send: 'Change password',
    onSend: async (values) => {
      await post('change-password', values);
      location.assign('/');
    },
    below: [signOut],
  });
}

/** The token stands behind `#`, which no browser sends and no log has. */
function showSetPassword(): void {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  show({
    title: 'Choose a password',
    about: 'The link of your mail works once.',
    inputs: [
      {
        name: 'new_password',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        help: new_password_help,
      },
    ],
    send: 'Set password',
    onSend: async (values) => {
      await post('set-password', { token, ...values });
      location.assign('/sign-in');
    },
  });
}

// Only an address of this service: another one could imitate it. It is assigned whole, because a path that begins with `//` names a host.
function nextPage(): string {
  const next = new URL(new URLSearchParams(location.search).get('next') ?? '/', location.origin);
  return next.origin === location.origin && next.protocol === location.protocol ? next.href : '/';
}

function show({ title, about, inputs, send, onSend, below = [] }: Shown): void {
  document.title = `${title} · Gantry`;
  const refusal = element('p', { className: 'refusal', role: 'alert' });
  const button = element('button', { type: 'submit', className: 'main', textContent: send });
  const form = element('form', { method: 'post' }, [...inputs.map(field), refusal, button]);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    refusal.textContent = '';
    const values = Object.fromEntries(
      inputs.map(({ name }) => [name, form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? '']),
    );
    onSend(values)
      .catch((error: unknown) => (refusal.textContent = error instanceof Error ? error.message : String(error)))
      .finally(() => (button.disabled = false));
  });
  const brand = element('p', { className: 'brand' }, [
    element('img', { src: '/favicon.svg', alt: '', width: 24, height: 24 }),
    'Gantry',
  ]);
  const head = [
    brand,
    element('h1', { textContent: title }),
    ...(about === '' ? [] : [element('p', { className: 'about', textContent: about })]),
  ];
  entrance?.replaceChildren(...head, form, ...below);
  form.querySelector('input')?.focus();
}

function field({ name, label, type, autocomplete, help }: Input): HTMLElement {
  const input = element('input', { name, type, autocomplete, required: true, maxLength: 1024, className: 'field' });
  return element('label', {}, [
    label,
    input,
    ...(help === undefined ? [] : [element('span', { className: 'help', textContent: help })]),
  ]);
}

async function post<Answer>(what: string, body: object): Promise<Answer> {
  const response = await fetch(`/api/v1/auth/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error('The service does not answer. Try again in a moment.');
  });
  if (response.status === 204) return undefined as Answer;
  const answer = (await response.json().catch(() => ({}))) as { data: Answer } & Partial<ProblemDocument>;
  if (response.ok) return answer.data;
  if (response.status === 401 && what !== 'browser-session' && what !== 'set-password') location.assign('/sign-in');
  const faults = answer.errors?.map(({ message }) => message) ?? [];
  throw new Error([answer.detail ?? answer.title ?? `The service answered ${response.status}.`, ...faults].join(' '));
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
