import { Button } from '../../parts/action/button.tsx';
import { Copy } from '../../parts/copy.tsx';

/** A value that the service shows once. */
export function Secret({ value, onDone }: { value: string | undefined; onDone: () => void }) {
  return (
    <div className="flex flex-col items-start gap-3">
      {value === undefined ? (
        <p>The service has shown it already. Rotate the secret to get a new one.</p>
      ) : (
        <>
          <p>Copy it now: it is not shown again. The receiver checks each delivery with it.</p>
          <p className="w-full rounded border border-line bg-sunken px-3 py-2 font-mono text-meta break-all">
            <Copy text={value} label="the secret" />
          </p>
        </>
      )}
      <Button look="main" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  );
}
