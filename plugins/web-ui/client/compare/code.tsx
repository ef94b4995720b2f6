// The code of two runs against each other, and their uncommitted changes.
import { diffLines } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { useLoaded } from '../loading.js';
import { addressOf } from '../media/files.js';
import { readPatch } from '../run/patch.js';
import { runServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { Wait } from '../shell/wait.js';

const around = 3;
const mostCharacters = 300_000;
const mostFiles = 200;

/** What each run has under each name: the code that was set, its patch, and the files of its source. */
const loadSources = async (run: string, signal: AbortSignal) => {
  const [code, patch, { assets }] = await Promise.all([
    runServer.getCode({ query: { experimentKey: run } }, signal),
    readPatch(run, signal),
    runServer.listAssets({ query: { experimentKey: run, type: 'source_code' } }, signal),
  ]);
  return {
    texts: new Map<string, string>([
      ...(typeof code.code === 'string' ? [['code', code.code] as const] : []),
      ...(patch === '' ? [] : [['uncommitted changes', patch] as const]),
    ]),
    files: new Map(assets.map((one) => [one.fileName, one.assetId])),
  };
};
type Sources = Awaited<ReturnType<typeof loadSources>>;

const read = async (
  run: string,
  of: Sources,
  name: string,
  signal: AbortSignal,
): Promise<string> => {
  const text = of.texts.get(name);
  const id = of.files.get(name);
  if (text !== undefined || id === undefined) return text ?? '';
  const reply = await fetch(addressOf({ run, id }), { signal });
  if (!reply.ok) throw new Error(`${name} could not be read: the server answered ${reply.status}`);
  return await reply.text();
};

interface Shown {
  readonly kind: 'added' | 'removed' | '' | 'faint';
  readonly text: string;
}

/** Lines that came and went with some around them; long stretches that are the same are folded. */
const linesOf = (one: string, other: string): readonly Shown[] =>
  diffLines(one.slice(0, mostCharacters), other.slice(0, mostCharacters)).flatMap(
    ({ value, added, removed }, at, all): readonly Shown[] => {
      const lines = value.replace(/\n$/, '').split('\n');
      if (added || removed)
        return lines.map((text) => ({
          kind: added ? 'added' : 'removed',
          text: `${added ? '+' : '-'} ${text}`,
        }));
      const head = at === 0 ? [] : lines.slice(0, around);
      const tail =
        at === all.length - 1 ? [] : lines.slice(Math.max(head.length, lines.length - around));
      const left = lines.length - head.length - tail.length;
      const plain = (text: string): Shown => ({ kind: '', text: `  ${text}` });
      return [
        ...head.map(plain),
        ...(left > 0 ? [{ kind: 'faint' as const, text: `  … ${left} lines the same` }] : []),
        ...tail.map(plain),
      ];
    },
  );

const FileDiff = ({
  base,
  other,
  of,
  name,
}: {
  base: string;
  other: string;
  of: readonly [Sources, Sources];
  name: string;
}) => {
  const { value, fault } = useLoaded(
    (signal) => Promise.all([read(base, of[0], name, signal), read(other, of[1], name, signal)]),
    [base, other, name],
  );
  const lines = useMemo(() => (value === undefined ? [] : linesOf(...value)), [value]);
  if (value === undefined) return <Wait fault={fault} />;
  if (value[0] === value[1]) return <p class="empty">Both runs have the same.</p>;
  const longest = Math.max(value[0].length, value[1].length);
  return (
    <>
      <pre class="code" tabIndex={0} role="region" aria-label={`Difference of ${name}`}>
        {lines.map(({ kind, text }, at) => (
          <span key={at} class={kind}>
            {text}
          </span>
        ))}
      </pre>
      <Cut shown={mostCharacters} of={longest} what="characters were compared" />
    </>
  );
};

export const CompareCode = ({ base, other }: { base: string; other: string }) => {
  const { value, fault } = useLoaded(
    (signal) => Promise.all([loadSources(base, signal), loadSources(other, signal)]),
    [base, other],
  );
  const [chosen, setChosen] = useState<string>();
  if (value === undefined) return <Wait fault={fault} />;
  const names = [
    ...new Set(value.flatMap(({ texts, files }) => [...texts.keys(), ...files.keys()])),
  ].sort();
  const name = chosen !== undefined && names.includes(chosen) ? chosen : names[0];
  if (name === undefined) return <p class="empty">Neither run logged code.</p>;
  return (
    <>
      <div class="controls" role="group" aria-label="Files">
        {names.slice(0, mostFiles).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === name}
            onClick={() => setChosen(one)}
          >
            {one}
          </button>
        ))}
      </div>
      <Cut shown={mostFiles} of={names.length} what="files" />
      <FileDiff base={base} other={other} of={value} name={name} />
    </>
  );
};
