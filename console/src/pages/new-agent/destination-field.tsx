import type { SeenDestination } from '@gantry/project/agent-project/destinations.ts';
import { useState } from 'react';
import { TextArea } from '../../parts/form/form.tsx';

interface DestinationFieldProps {
  listed: readonly string[];
  /** Those that the code seems to need. */
  seen: readonly SeenDestination[];
  onList: (destinations: string[]) => void;
}

/** `deploy.egress`, one a line. */
export function DestinationField({ listed, seen, onList }: DestinationFieldProps) {
  // Spaces and empty lines stay while one types; a change in the file replaces them.
  const [typed, setTyped] = useState('');
  const shown = linesOf(typed).join('\n') === listed.join('\n') ? typed : listed.join('\n');
  return (
    <TextArea
      name="egress"
      label="Destinations outside"
      isCode
      rows={3}
      value={shown}
      placeholder="api.example.com:443"
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onList(linesOf(value));
      }}
      help={
        <>
          The only ones that it may reach, each host:port on a line of its own. Without any, the organisation’s setting
          decides.
          {seen.map(({ destination, because, file, line }) => (
            <span key={`${destination} ${because}`} className="block break-words">
              {destination}: {because}, {file}:{line}
            </span>
          ))}
        </>
      }
    />
  );
}

const linesOf = (text: string): string[] => [
  ...new Set(text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))),
];
