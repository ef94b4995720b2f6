// What a run logged to be looked at: one step for all, files of one name together.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { atStep } from '../../pure/media.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { Dialog } from '../shell/dialog.js';
import { query } from '../state.js';
import { addressOf, loadMedia, type Media } from './files.js';
import { useMoves } from './moving.js';
import { Picture, ShapesSwitch } from './picture.js';
import { CurveShapes, HistogramShapes } from './shapes.js';
import { View } from './views.js';
import { Wait } from '../shell/wait.js';

const shownAtFirst = 60;

/** Steps at which there is something, in their order. */
export const stepsOf = (files: readonly Media[]): readonly number[] =>
  [...new Set(files.map(({ step }) => step))].filter((step) => step !== null).sort((a, b) => a - b);

/** The step that the address names, the last one without it; moved by `[` and `]`. */
export const useStep = (steps: readonly number[]) => {
  const named = Number(query.value.get('step') ?? Number.NaN);
  const step = steps.includes(named) ? named : (steps.at(-1) ?? 0);
  const at = steps.indexOf(step);
  return { step, at, move: useMoves(steps, at) };
};

export const StepSlider = ({
  steps,
  of,
}: {
  steps: readonly number[];
  of: ReturnType<typeof useStep>;
}) =>
  steps.length < 2 ? null : (
    <label class="slide step-slider">
      step <b>{of.step}</b>
      <input
        type="range"
        aria-label="Step"
        min={0}
        max={steps.length - 1}
        value={of.at}
        onInput={({ currentTarget }) => of.move(Number(currentTarget.value))}
      />
      <kbd>[</kbd> <kbd>]</kbd>
    </label>
  );

/** A picture as large as it is, with the others a key away. */
const Large = ({
  of,
  onStep,
  onClose,
}: {
  of: Media;
  onStep: (by: number) => void;
  onClose: () => void;
}) => {
  // With the picture, and not after it has been painted: until then a key would be lost, or would step from the one before.
  useLayoutEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (by !== undefined) onStep(by);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return (
    <Dialog label={of.name} wide onClose={onClose}>
      <figure class="large">
        <Picture of={of} />
        <figcaption>
          {of.name} {of.step === null ? '' : `· step ${of.step}`} · ← →
        </figcaption>
      </figure>
    </Dialog>
  );
};

const groupsOf = (files: readonly Media[]): readonly (readonly Media[])[] => {
  const groups = new Map<string, Media[]>();
  for (const one of files) {
    const key = `${one.kind} ${one.name}`;
    const some = groups.get(key) ?? [];
    if (some.push(one) === 1) groups.set(key, some);
  }
  return [...groups.values()];
};

export const Gallery = ({ run }: { run: string }) => {
  const { value, fault } = useLoaded((signal) => loadMedia(run, signal), [run, runsChanged.value]);
  // Of very many files once, and not with every step that is looked at.
  const { files, steps, groups } = useMemo(() => {
    const all = value ?? [];
    return { files: all, steps: stepsOf(all), groups: groupsOf(all) };
  }, [value]);
  const step = useStep(steps);
  const [large, setLarge] = useState<string>();
  const [count, setCount] = useState(shownAtFirst);
  if (value === undefined) return <Wait fault={fault} />;
  if (files.length === 0)
    return (
      <p class="empty">
        No pictures, sounds, tables or curves here. A run logs them by <code>log_image</code>,{' '}
        <code>log_audio</code>, <code>log_table</code>, <code>log_confusion_matrix</code> and
        others.
      </p>
    );
  const shown = groups.slice(0, count).flatMap((some) => {
    const one = atStep(some, step.step);
    return one === undefined ? [] : [{ one, some }];
  });
  const images = shown.flatMap(({ one }) => (one.kind === 'image' ? [one] : []));
  const at = images.findIndex(({ name }) => name === large);
  return (
    <>
      <div class="controls">
        <StepSlider steps={steps} of={step} />
        <ShapesSwitch of={files} />
        <span class="faint">
          {files.length} files of {groups.length} names
        </span>
      </div>
      <div class="media">
        {shown.map(({ one, some }) => (
          <figure key={`${one.kind} ${one.name}`} class={one.kind}>
            {one.kind === 'curve' ? (
              <CurveShapes of={[one]} nameOf={({ name }) => name} />
            ) : one.kind === 'histogram' ? (
              <HistogramShapes of={some} />
            ) : (
              <View of={one} onOpen={() => setLarge(one.name)} />
            )}
            <figcaption>
              <a href={addressOf(one)} download>
                {one.name}
              </a>{' '}
              {one.kind === 'histogram'
                ? `· ${some.length} steps`
                : one.step === null
                  ? ''
                  : `· step ${one.step}`}
            </figcaption>
          </figure>
        ))}
      </div>
      {groups.length > count ? (
        <button type="button" onClick={() => setCount(count + shownAtFirst)}>
          show more of {groups.length}
        </button>
      ) : null}
      {images[at] === undefined ? null : (
        <Large
          of={images[at]}
          onStep={(by) => setLarge(images[(at + by + images.length) % images.length]?.name)}
          onClose={() => setLarge(undefined)}
        />
      )}
    </>
  );
};
