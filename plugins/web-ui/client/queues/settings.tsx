// The forms in which an annotation queue is made and changed.
import { sentAutomation, type AutomationDraft } from '../../pure/queue-automation.js';
import type { ScoreField } from '../../pure/reviewing.js';
import { useLoaded } from '../loading.js';
import { definitionsServer, queuesServer, type Queue } from '../reviewing-server.js';
import { Asks, type Fields } from '../shell/form.js';
import { Automation } from './automation.js';
import { Fault } from '../shell/wait.js';

const mostDefinitions = 1000;
const secondsPerMinute = 60;

const memberOf = (name: ScoreField['name']): string => `score of ${name}`;

/** The names that are checked, of those that the form offered. */
const namesIn = (field: Fields): string[] => {
  const offered = JSON.parse(field('offered')) as readonly string[]; // as `ScoreNames` wrote it
  return offered.filter((name) => field(memberOf(name)) !== '');
};

/** What a form says of a queue; `had` tells whether something came into it by itself before. */
const settingsOf = (field: Fields, had: boolean) => {
  const draft = JSON.parse(field('automation')) as AutomationDraft; // as `Automation` wrote it
  const automation = sentAutomation(draft, had);
  return {
    name: field('name'),
    description: field('description'),
    instructions: field('instructions'),
    comments_enabled: field('comments') !== '',
    feedback_definition_names: namesIn(field),
    annotators_per_item: Number(field('annotators')),
    lock_timeout_seconds: Math.round(Number(field('minutes')) * secondsPerMinute),
    ...(automation === undefined ? {} : { automation }),
  };
};

/** Names of scores that a queue may ask for: those that are defined, and those that it asks for already. */
const useOffered = (of: Queue | undefined) => {
  const { value, fault } = useLoaded(
    (signal) => definitionsServer.list({ query: { size: mostDefinitions } }, signal),
    [],
  );
  const defined = (value?.content ?? []).map(({ name }) => name).sort();
  return { offered: [...new Set([...(of?.feedback_definition_names ?? []), ...defined])], fault };
};

const ScoreNames = ({
  of,
  offered,
  fault,
}: { of: Queue | undefined } & ReturnType<typeof useOffered>) => {
  const chosen = of?.feedback_definition_names ?? [];
  return (
    <fieldset class="plain-set">
      <legend>Scores that are asked for</legend>
      <input type="hidden" name="offered" value={JSON.stringify(offered)} />
      <Fault of={fault} />
      {offered.length === 0 ? (
        <p class="faint">Nothing is defined yet: “New score” on the list of queues defines one.</p>
      ) : (
        offered.map((name) => (
          <label key={name} class="check" dir="auto">
            <input type="checkbox" name={memberOf(name)} defaultChecked={chosen.includes(name)} />{' '}
            {name}
          </label>
        ))
      )}
    </fieldset>
  );
};

const Settings = ({ of }: { of: Queue | undefined }) => {
  const scores = useOffered(of);
  return (
    <>
      <label>
        Name
        <input name="name" required maxLength={255} autocomplete="off" defaultValue={of?.name} />
      </label>
      <label>
        What it is for
        <input name="description" maxLength={2000} defaultValue={of?.description} />
      </label>
      <label>
        Instructions for reviewers, in Markdown
        <textarea name="instructions" rows={5} dir="auto" defaultValue={of?.instructions} />
      </label>
      <ScoreNames of={of} {...scores} />
      <label class="check">
        <input type="checkbox" name="comments" defaultChecked={of?.comments_enabled ?? true} />{' '}
        Reviewers may comment
      </label>
      <label>
        Reviewers of each item
        <input
          type="number"
          name="annotators"
          min={1}
          max={1000}
          required
          defaultValue={String(of?.annotators_per_item ?? 1)}
        />
      </label>
      <label>
        Minutes after which an item is free for others again
        <input
          type="number"
          name="minutes"
          min={0.5}
          max={60}
          step={0.5}
          required
          defaultValue={String((of?.lock_timeout_seconds ?? 300) / secondsPerMinute)}
        />
      </label>
      <Automation of={of} names={scores.offered} />
    </>
  );
};

export const MakeQueue = ({
  projects,
  project,
  idOf,
  onMade,
}: {
  projects: readonly string[];
  /** The one that is chosen already. */
  project: string | undefined;
  idOf: (project: string) => string | undefined;
  onMade: () => void;
}) => (
  <Asks
    verb="New queue"
    label="New queue"
    send="Make it"
    says="The queue is made"
    onSend={async (field) => {
      const projectId = idOf(field('project'));
      if (projectId === undefined) throw new Error('choose a project');
      await queuesServer.create({
        body: {
          ...settingsOf(field, false),
          scope: field('scope') === 'thread' ? 'thread' : 'trace',
          project_id: projectId,
        },
      });
      onMade();
    }}
  >
    <label>
      Project
      <select name="project">
        {projects.map((name) => (
          <option key={name} value={name} selected={name === project}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      It holds
      <select name="scope">
        <option value="trace">traces</option>
        <option value="thread">threads</option>
      </select>
    </label>
    <Settings of={undefined} />
  </Asks>
);

export const ChangeQueue = ({ of, onChange }: { of: Queue; onChange: () => void }) => (
  <Asks
    verb="Change"
    label={`Change the queue ${of.name}`}
    send="Save"
    says="The queue is changed"
    onSend={async (field) => {
      await queuesServer.update({
        params: { id: of.id },
        body: settingsOf(field, of.automation !== undefined),
      });
      onChange();
    }}
  >
    <Settings of={of} />
  </Asks>
);
