// Two texts as one, with what came and what went.
import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'preact/hooks';

/** Longer texts are compared as far as this. */
const mostCharacters = 100_000;

export const TextDiff = ({ label, from, to }: { label: string; from: string; to: string }) => {
  const parts = useMemo(
    () => diffWordsWithSpace(from.slice(0, mostCharacters), to.slice(0, mostCharacters)),
    [from, to],
  );
  if (from === to) return <p class="faint">Both are the same.</p>;
  return (
    <>
      <p class="notes text-diff" dir="auto" role="region" aria-label={label}>
        {parts.map(({ value, added, removed }, at) =>
          added ? (
            <ins key={at}>{value}</ins>
          ) : removed ? (
            <del key={at}>{value}</del>
          ) : (
            <span key={at}>{value}</span>
          ),
        )}
      </p>
      {Math.max(from.length, to.length) > mostCharacters ? (
        <p class="faint">Only the first {mostCharacters} characters were compared.</p>
      ) : null}
    </>
  );
};
