import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { tell } from '../state.js';
import { useUnsaved } from '../unsaved.js';

export interface Secret {
  /** What it is, and whose. */
  readonly what: string;
  readonly text: string;
}

/** A secret that the server tells once. It is kept by this part of the page alone, and gone when one is done with it. */
export const Once = ({ of, onDone }: { of: Secret | undefined; onDone: () => void }) => {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<Secret>();
  useUnsaved(of !== undefined && copied !== of);
  useEffect(() => field.current?.select(), [of]);
  if (of === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(of.text);
    setCopied(of);
    tell('Copied');
  };
  return (
    <section class="once" aria-label={of.what}>
      <p role="status">
        <b>{of.what}</b>: keep it now, it is not shown again.
      </p>
      <p class="controls">
        <input ref={field} readOnly aria-label={of.what} value={of.text} spellcheck={false} />
        <button type="button" class="main" onClick={() => attempt(copy())}>
          Copy
        </button>
        <button type="button" onClick={onDone}>
          Done
        </button>
      </p>
    </section>
  );
};
