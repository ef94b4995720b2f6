import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../loading.js';
import { Fault, Wait } from './wait.js';

/** A table of what was loaded; before that, and where there is nothing, a line that says so. A wide one scrolls by itself. */
export const Rows = <T,>({
  label,
  of,
  head,
  empty,
  children,
}: {
  label: string;
  of: Pick<Loaded<readonly T[]>, 'value' | 'fault'>;
  head: readonly string[];
  empty: string;
  children: (one: T, at: number) => ComponentChildren;
}) => {
  const table = useRef<HTMLTableElement>(null);
  // A head stands over figures as they do: to the right; and it goes where a phone leaves a column out.
  useLayoutEffect(() => {
    const [heads, first] = table.current?.rows ?? [];
    [...(first?.cells ?? [])].forEach((cell, at) => {
      for (const name of ['number', 'less'])
        heads?.cells[at]?.classList.toggle(name, cell.classList.contains(name));
    });
  });
  if (of.value === undefined) return <Wait fault={of.fault} />;
  return (
    <>
      <Fault of={of.fault} />
      {of.value.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <div class="scroll" role="region" aria-label={label} tabIndex={0}>
          <table class="plain many" ref={table}>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name === '' ? <span class="unseen">acts</span> : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{of.value.map(children)}</tbody>
          </table>
        </div>
      )}
    </>
  );
};
