import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps, ReactNode } from 'react';

const looks = {
  /** At most one on a page: the one thing to do here. */
  main: 'bg-accent text-on-accent hover:opacity-90',
  plain: 'border border-line-strong bg-raised hover:bg-hover',
  quiet: 'text-quiet hover:bg-hover hover:text-text',
  danger: 'border border-line-strong bg-raised text-failed hover:bg-failed-soft',
} as const;

export type ButtonLook = keyof typeof looks;

export const buttonClass = (look: ButtonLook) =>
  `eases inline-flex h-8 shrink-0 items-center gap-1.5 rounded px-3 font-strong whitespace-nowrap data-disabled:cursor-not-allowed data-disabled:opacity-50 ${looks[look]}`;

interface ButtonProps extends Omit<ComponentProps<typeof BaseButton>, 'className'> {
  look?: ButtonLook;
  icon?: ReactNode;
}

export function Button({ look = 'plain', icon, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <BaseButton type={type} className={buttonClass(look)} {...rest}>
      {icon}
      {children}
    </BaseButton>
  );
}

/** A button with a picture alone; its label is read aloud and shown on hover. */
export function IconButton({
  label,
  icon,
  ...rest
}: { label: string; icon: ReactNode } & Omit<ComponentProps<typeof BaseButton>, 'className' | 'children'>) {
  return (
    <BaseButton
      type="button"
      aria-label={label}
      title={label}
      className="eases inline-flex size-8 shrink-0 items-center justify-center rounded text-quiet hover:bg-hover hover:text-text data-disabled:opacity-50"
      {...rest}
    >
      {icon}
    </BaseButton>
  );
}
