// Lines of code as they were logged, and a way to copy them.
import { attempt } from '../attempt.js';
import { tell } from '../state.js';

const mostShown = 400_000;

export const Copy = ({ text, what }: { text: string; what: string }) => (
  <button
    type="button"
    onClick={() => attempt(navigator.clipboard.writeText(text).then(() => tell(`${what} copied`)))}
  >
    Copy
  </button>
);

const kindOf = (line: string): string =>
  /^(diff|index|---|\+\+\+|@@)/.test(line)
    ? 'faint'
    : line.startsWith('+')
      ? 'added'
      : line.startsWith('-')
        ? 'removed'
        : '';

/** Lines of code; of a patch, those that came and went are told apart. */
export const Lines = ({
  text,
  patch = false,
  label,
}: {
  text: string;
  patch?: boolean;
  label: string;
}) => (
  <pre class="code" tabIndex={0} role="region" aria-label={label}>
    {text
      .slice(0, mostShown)
      .split('\n')
      .map((line, at) => (
        <span key={at} class={patch ? kindOf(line) : ''}>
          {`${line}\n`}
        </span>
      ))}
    {text.length > mostShown ? <span class="faint">… the rest is cut; copy it whole</span> : null}
  </pre>
);
