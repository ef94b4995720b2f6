// A walk through a trace: what is worth looking at, one thing after another. The address names where one is.
import { useMemo } from 'preact/hooks';
import type { GuideStop } from '../../pure/trace-guide.js';
import { query, setQuery } from '../state.js';

export interface Walk {
  readonly stops: readonly GuideStop[];
  /** Where one is; -1 where that is none of them. */
  readonly at: number;
}

/** Goes on to the next stop, and begins anew after the last. */
export const walkOn = ({ stops, at }: Walk): void => {
  const next = stops[(at + 1) % stops.length];
  if (next !== undefined) setQuery({ guide: next.title, span: next.span });
};

export const useWalk = (stopsOf: () => readonly GuideStop[], keys: readonly unknown[]) => {
  const named = query.value.get('guide');
  const stops = useMemo(() => (named === null ? [] : stopsOf()), [named === null, ...keys]);
  return { stops, at: stops.findIndex(({ title }) => title === named) };
};

export const TraceGuide = ({ of }: { of: Walk }) => {
  const { stops, at } = of;
  if (stops.length === 0)
    return <p class="bar faint">Nothing of this trace stands out: no failure, wait or cost.</p>;
  return (
    <section class="bar guide" aria-label="Guide through the trace">
      <span class="controls" role="group" aria-label="Stops">
        {stops.map((stop, place) => (
          <button
            key={stop.title}
            type="button"
            aria-current={place === at ? 'step' : undefined}
            onClick={() => setQuery({ guide: stop.title, span: stop.span })}
          >
            {place + 1} {stop.title}
          </button>
        ))}
        <button type="button" onClick={() => walkOn(of)}>
          Next <kbd>g</kbd>
        </button>
      </span>
      <p role="status" dir="auto">
        {stops[at]?.says ?? 'What is worth looking at, one thing after another.'}
      </p>
    </section>
  );
};
