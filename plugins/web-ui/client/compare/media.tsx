// Pictures of runs side by side at one step, or in a grid of all steps; two of them over each other: by a slider, in turn, or as their difference.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { atStep } from '../../pure/media.js';
import { lazy } from '../lazy.js';
import { useLoaded } from '../loading.js';
import { addressOf, loadMedia, type Media } from '../media/files.js';
import { StepSlider, stepsOf, useStep } from '../media/gallery.js';
import type { ImageGridProps } from '../media/image-grid.js';
import { ShapesSwitch } from '../media/picture.js';
import { CurveShapes, HistogramShapes } from '../media/shapes.js';
import { View } from '../media/views.js';
import { Cut } from '../shell/cut.js';
import { query, setQuery } from '../state.js';
import { TwoConfusions } from './confusions.js';
import { HistogramOverlay } from './overlay.js';
import type { ZoomProps } from './zoom.js';
import { Wait } from '../shell/wait.js';

const modes = ['side by side', 'grid', 'zoom', 'swipe', 'blink', 'difference'] as const;
const blinkMs = 700;

/** Two pictures in one place. */
const Over = ({ one, other, mode }: { one: Media; other: Media; mode: (typeof modes)[number] }) => {
  const [part, setPart] = useState(50);
  const [first, setFirst] = useState(true);
  useEffect(() => {
    if (mode !== 'blink') return undefined;
    const turn = setInterval(() => setFirst((now) => !now), blinkMs);
    return () => clearInterval(turn);
  }, [mode]);
  const style =
    mode === 'swipe'
      ? { 'clip-path': `inset(0 0 0 ${part}%)` }
      : mode === 'blink'
        ? { visibility: first ? 'hidden' : 'visible' }
        : { 'mix-blend-mode': 'difference' };
  return (
    <div class="over">
      <div class="stack">
        <img src={addressOf(one)} alt={`${one.name} of the base`} />
        <img src={addressOf(other)} alt={other.name} style={style} />
      </div>
      {mode === 'swipe' ? (
        <input
          type="range"
          aria-label={`How much of ${one.name} is covered`}
          min={0}
          max={100}
          value={part}
          onInput={({ currentTarget }) => setPart(Number(currentTarget.value))}
        />
      ) : null}
    </div>
  );
};

const Zoomed = lazy<ZoomProps>(async () => (await import('./zoom.js')).ZoomedPictures);
const Grid = lazy<ImageGridProps>(async () => (await import('../media/image-grid.js')).ImageGrid);

/** Runs whose files are all listed at once; a grid has room for all. */
const mostListed = 12;
const mostNames = 60;

type Mode = (typeof modes)[number];

const Modes = ({ mode }: { mode: Mode }) => (
  <>
    {modes.map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={one === mode}
        onClick={() => setQuery({ mode: one === 'side by side' ? undefined : one })}
      >
        {one}
      </button>
    ))}
  </>
);

export const CompareMedia = ({
  metrics,
  ...shown
}: {
  runs: readonly string[];
  base: string;
  other: string;
  nameOf: (run: string) => string;
  metrics: readonly string[];
}) => {
  const mode = modes.find((one) => one === query.value.get('mode')) ?? 'side by side';
  return mode === 'grid' ? (
    <>
      <div class="controls">
        <Modes mode={mode} />
      </div>
      <Grid runs={shown.runs} nameOf={shown.nameOf} metrics={metrics} />
    </>
  ) : (
    <Listed {...shown} all={shown.runs} mode={mode} />
  );
};

/** The files of each kind and name, by their runs. */
const namedOf = (
  files: readonly Media[],
): ReadonlyMap<string, ReadonlyMap<string, readonly Media[]>> => {
  const names = new Map<string, Map<string, Media[]>>();
  for (const one of files) {
    const name = `${one.kind} ${one.name}`;
    const runs = names.get(name) ?? new Map<string, Media[]>();
    names.set(name, runs);
    const some = runs.get(one.run) ?? [];
    if (some.push(one) === 1) runs.set(one.run, some);
  }
  return names;
};

const Listed = ({
  all: chosen,
  base,
  other,
  nameOf,
  mode,
}: {
  all: readonly string[];
  base: string;
  other: string;
  nameOf: (run: string) => string;
  mode: Mode;
}) => {
  const runs = chosen.slice(0, mostListed);
  const { value, fault } = useLoaded(
    async (signal) => (await Promise.all(runs.map((run) => loadMedia(run, signal)))).flat(),
    [runs.join()],
  );
  // Of very many files once, and not with every step that is looked at.
  const { files, steps, byName } = useMemo(() => {
    const all = value ?? [];
    return { files: all, steps: stepsOf(all), byName: namedOf(all) };
  }, [value]);
  const step = useStep(steps);
  if (value === undefined) return <Wait fault={fault} />;
  const every = [...byName.keys()];
  const names = every.slice(0, mostNames);
  if (names.length === 0) return <p class="empty">None of these runs logged pictures or tables.</p>;
  const filesOf = (run: string, name: string) => byName.get(name)?.get(run) ?? [];
  const fileOf = (run: string, name: string) => atStep(filesOf(run, name), step.step);
  const shown = mode === 'side by side' ? runs : [];
  return (
    <>
      <div class="controls">
        <StepSlider steps={steps} of={step} />
        <ShapesSwitch of={files} />
        <Modes mode={mode} />
      </div>
      <Cut shown={mostListed} of={chosen.length} what="runs" how="the grid has all" />
      {names.map((name) => {
        const [one, two] = [fileOf(base, name), fileOf(other, name)];
        const all = runs.flatMap((run) => fileOf(run, name) ?? []);
        if (all[0]?.kind === 'curve')
          return (
            <section key={name} class="media">
              <figure>
                <CurveShapes of={all} nameOf={({ run }) => nameOf(run)} />
                <figcaption>{all[0].name}, all runs</figcaption>
              </figure>
            </section>
          );
        if (
          all[0]?.kind === 'confusion' &&
          one !== undefined &&
          two !== undefined &&
          runs.length === 2
        )
          return (
            <section key={name}>
              <h2>{all[0].name}</h2>
              <TwoConfusions one={one} other={two} names={[nameOf(base), nameOf(other)]} />
            </section>
          );
        if (mode !== 'side by side' && all[0]?.kind !== 'image') return null;
        return (
          <section key={name}>
            <h2>{all[0]?.name}</h2>
            {mode === 'zoom' ? <Zoomed of={all} nameOf={({ run }) => nameOf(run)} /> : null}
            {all[0]?.kind === 'confusion' && one !== undefined && two !== undefined ? (
              <TwoConfusions one={one} other={two} names={[nameOf(base), nameOf(other)]} />
            ) : null}
            <div class="media">
              {all[0]?.kind === 'histogram' && all.length > 1 ? (
                <figure class="histogram">
                  <HistogramOverlay of={all} nameOf={nameOf} />
                  <figcaption>all runs at this step, each as parts of its whole</figcaption>
                </figure>
              ) : null}
              {shown.map((run) => {
                const of = fileOf(run, name);
                return (
                  <figure key={run} class={of?.kind ?? 'image'}>
                    {of === undefined ? (
                      <p class="empty">none</p>
                    ) : of.kind === 'histogram' ? (
                      <HistogramShapes of={filesOf(run, name)} />
                    ) : (
                      <View of={of} />
                    )}
                    <figcaption>
                      {nameOf(run)} {typeof of?.step === 'number' ? `· step ${of.step}` : ''}
                    </figcaption>
                  </figure>
                );
              })}
              {mode !== 'side by side' &&
              mode !== 'zoom' &&
              one !== undefined &&
              two !== undefined ? (
                <figure>
                  <Over one={one} other={two} mode={mode} />
                  <figcaption>
                    {nameOf(base)} and {nameOf(other)}
                  </figcaption>
                </figure>
              ) : null}
            </div>
          </section>
        );
      })}
      <Cut shown={mostNames} of={every.length} what="names" how="each run's page has all" />
    </>
  );
};
