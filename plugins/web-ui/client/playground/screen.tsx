// A place to try prompts: variants side by side, run once or over a dataset. The draft is kept by the browser until the tab is closed.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import {
  draftVariables,
  mostVariants,
  readDraft,
  withVariant,
  type Draft,
  type Variant,
} from '../../pure/playground.js';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';
import { useAnswers } from './answers.js';
import { OverDataset } from './dataset.js';
import { Models } from './models.js';
import { takePrompt, VariantCard } from './variant.js';

const labelOf = (at: number): string => `Variant ${String.fromCharCode(65 + at)}`;

const useDraft = (workspace: string) => {
  const place = `playground ${workspace}`;
  const [draft, setDraft] = useState(() => readDraft(sessionStorage.getItem(place)));
  useEffect(() => sessionStorage.setItem(place, JSON.stringify(draft)), [draft]);
  return [draft, setDraft] as const;
};

const Variables = ({
  names,
  values,
  onChange,
}: {
  names: readonly string[];
  values: Draft['values'];
  onChange: (values: Draft['values']) => void;
}) =>
  names.length === 0 ? null : (
    <section aria-label="Filled in">
      <h2>Filled in</h2>
      <div class="variables">
        {names.map((name) => (
          <label key={name}>
            {name}
            <textarea
              rows={2}
              dir="auto"
              value={values[name] ?? ''}
              onInput={({ currentTarget }) => onChange({ ...values, [name]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
    </section>
  );

const Playground = ({ workspace }: { workspace: string }) => {
  const [draft, setDraft] = useDraft(workspace);
  const answers = useAnswers();
  const { variants, values } = draft;
  const change = (variant: Variant) =>
    setDraft((now) => ({
      ...now,
      variants: now.variants.map((one) => (one.key === variant.key ? variant : one)),
    }));
  const prompt = query.value.get('prompt');
  useEffect(() => {
    if (prompt === null) return;
    const version = query.value.get('version') ?? undefined;
    const take = async () => {
      const taken = await takePrompt(prompt, version);
      setDraft((now) => ({
        ...now,
        variants: now.variants.map((one, at) => (at === 0 ? { ...one, ...taken } : one)),
      }));
      // What one changes from here on is not to be taken again when the page is loaded anew.
      setQuery({ prompt: undefined, version: undefined });
    };
    attempt(take());
  }, [prompt]);
  return (
    <>
      <Models />
      <p class="controls">
        <button
          type="button"
          class="main"
          onClick={() => {
            for (const one of variants) answers.run(one, values);
          }}
        >
          {variants.length === 1 ? 'Run' : 'Run all'}
        </button>
        <button type="button" disabled={!answers.busy} onClick={answers.stop}>
          Stop
        </button>
        <button
          type="button"
          disabled={variants.length >= mostVariants}
          onClick={() => setDraft(withVariant)}
        >
          + Variant
        </button>
        <a class="button" href={pathOf('w', workspace, 'providers')}>
          Providers
        </a>
      </p>
      <Variables
        names={draftVariables(draft)}
        values={values}
        onChange={(now) => setDraft({ variants, values: now })}
      />
      <div class="variants">
        {variants.map((one, at) => (
          <VariantCard
            key={one.key}
            of={one}
            label={labelOf(at)}
            answer={answers.all.get(one.key)}
            onChange={change}
            onRun={() => answers.run(one, values)}
            onRemove={
              variants.length === 1
                ? undefined
                : () =>
                    setDraft({ values, variants: variants.filter(({ key }) => key !== one.key) })
            }
          />
        ))}
      </div>
      <OverDataset
        workspace={workspace}
        draft={draft}
        labelOf={labelOf}
        onFill={(filled) => setDraft({ variants, values: { ...values, ...filled } })}
      />
    </>
  );
};

export const PlaygroundScreen = ({ workspace }: { workspace: string }) => (
  <main class="page wide">
    <h1>Playground</h1>
    <WorkspaceTabs workspace={workspace} at="playground" />
    {mayWrite.value ? (
      <Playground workspace={workspace} />
    ) : (
      <p class="empty">Who may only look cannot ask models.</p>
    )}
  </main>
);
