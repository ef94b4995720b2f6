// A list that is there as a whole and may be long: found in by a part of a name, and cut.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';

/** How many are shown, and up to how many nobody searches. */
const most = { shown: 200, unsearched: 20 } as const;

/** Those of `all` that are to be shown, in their order, and what stands above them: nothing over a short list. */
export const useNarrowed = <T,>(
  all: readonly T[],
  nameOf: (one: T) => string,
  label: string,
): { readonly shown: readonly T[]; readonly bar: ComponentChildren } => {
  const [part, setPart] = useState('');
  const named = part.trim().toLowerCase();
  const found = named === '' ? all : all.filter((one) => nameOf(one).toLowerCase().includes(named));
  const shown = found.slice(0, most.shown);
  const bar =
    all.length <= most.unsearched ? null : (
      <p class="controls">
        <input
          type="search"
          aria-label={label}
          placeholder="search"
          value={part}
          onInput={({ currentTarget }) => setPart(currentTarget.value)}
        />
        <span class="faint" role="status">
          {shown.length < all.length
            ? `${formatCount(shown.length)} of ${formatCount(found.length)}${
                found.length < all.length ? ` found among ${formatCount(all.length)}` : ''
              }`
            : ''}
        </span>
      </p>
    );
  return { shown, bar };
};
