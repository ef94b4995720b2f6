// The form by which a widget is made or changed.
import { useState } from 'preact/hooks';
import { textOf, widgetTypes, type WidgetDraft } from '../../pure/boards.js';
import { unwrapped, wrapped } from '../../pure/sql.js';
import { useLoaded } from '../loading.js';
import { runsServer, server } from '../server.js';
import { closeDialog, Dialog } from '../shell/dialog.js';
import { Form, type Fields } from '../shell/form.js';
import { breakdownWords, figureWords, metricWords } from './metric-words.js';
import { Fault } from '../shell/wait.js';

const kinds: Readonly<Record<string, string>> = {
  [widgetTypes.metrics]: 'Traces over time',
  [widgetTypes.figure]: 'One figure of traces',
  [widgetTypes.runs]: 'A metric of the newest runs',
  [widgetTypes.query]: 'A query, as a table or chart',
  [widgetTypes.text]: 'Text',
};

type Config = WidgetDraft['config'];

/** What the form says of a widget of a type. Rejects with a sentence where something is missing. */
const configOf = (type: string, field: Fields): Config => {
  const project = field('project');
  const ofProject = project === '' ? {} : { projectId: project };
  switch (type) {
    case widgetTypes.metrics:
      return {
        ...ofProject,
        metricType: field('metric'),
        chartType: field('chart'),
        breakdown: { field: field('breakdown') || 'none' },
      };
    case widgetTypes.figure:
      return { ...ofProject, source: field('source'), metric: field('metric') };
    case widgetTypes.runs:
      return {
        ...ofProject,
        metric: field('metric'),
        x: field('x'),
        count: Number(field('count')) || 10,
      };
    case widgetTypes.query:
      if (field('sql') === '') throw new Error('write a statement');
      return {
        query: { sql: wrapped(field('sql')), ...ofProject },
        chartType: field('chart'),
      };
    default:
      return { content: field('content') };
  }
};

const Choice = ({
  name,
  label,
  of,
  value,
}: {
  name: string;
  label: string;
  of: Readonly<Record<string, string>>;
  value: string;
}) => (
  <label>
    {label}
    <select name={name}>
      {Object.hasOwn(of, value) || value === '' ? null : <option value={value}>{value}</option>}
      {Object.entries(of).map(([one, says]) => (
        <option key={one} value={one} selected={one === value}>
          {says}
        </option>
      ))}
    </select>
  </label>
);

const charts = { line: 'lines', bar: 'bars' } as const;

/** Names of metrics that runs of the project logged. */
const MetricNames = ({ projectId }: { projectId: string }) => {
  const { value } = useLoaded(
    async (signal) =>
      projectId === '' ? undefined : runsServer.columns({ query: { project: projectId } }, signal),
    [projectId],
  );
  return (
    <datalist id="widget-metrics">
      {(value?.columns ?? [])
        .filter(({ kind }) => kind === 'metric')
        .slice(0, 500)
        .map(({ name }) => (
          <option key={name} value={name} />
        ))}
    </datalist>
  );
};

const Members = ({
  type,
  config,
  projectId,
}: {
  type: string;
  config: Config;
  projectId: string;
}) => {
  const { sql } = (config['query'] ?? {}) as { readonly sql?: unknown }; // its text is checked below
  const { field: broken } = (config['breakdown'] ?? {}) as { readonly field?: unknown }; // likewise
  switch (type) {
    case widgetTypes.metrics:
      return (
        <>
          <Choice
            name="metric"
            label="What"
            of={metricWords}
            value={textOf(config['metricType']) || 'TRACE_COUNT'}
          />
          <Choice
            name="chart"
            label="As"
            of={charts}
            value={textOf(config['chartType']) || 'line'}
          />
          <Choice
            name="breakdown"
            label="Broken down by"
            of={breakdownWords}
            value={textOf(broken) || 'none'}
          />
        </>
      );
    case widgetTypes.figure:
      return (
        <>
          <Choice
            name="source"
            label="Of"
            of={{ traces: 'traces', spans: 'spans' }}
            value={textOf(config['source']) || 'traces'}
          />
          <Choice
            name="metric"
            label="What"
            of={figureWords}
            value={textOf(config['metric']) || 'trace_count'}
          />
        </>
      );
    case widgetTypes.runs:
      return (
        <>
          <label>
            Metric
            <input
              name="metric"
              required
              maxLength={1000}
              list="widget-metrics"
              autocomplete="off"
              defaultValue={textOf(config['metric'])}
            />
          </label>
          <MetricNames projectId={projectId} />
          <Choice
            name="x"
            label="Over"
            of={{ step: 'steps', relative: 'time since the start', wall: 'time', epoch: 'epochs' }}
            value={textOf(config['x']) || 'step'}
          />
          <label>
            How many of the newest runs
            <input
              name="count"
              type="number"
              min={1}
              max={50}
              defaultValue={String(Number(config['count']) || 10)}
            />
          </label>
        </>
      );
    case widgetTypes.query:
      return (
        <>
          <label>
            Statement; {'{{window_start}}'} and {'{{window_end}}'} are the time of the board
            <textarea
              name="sql"
              rows={8}
              required
              class="code-field"
              spellcheck={false}
              defaultValue={unwrapped(textOf(sql))}
            />
          </label>
          <Choice
            name="chart"
            label="As"
            of={{ table: 'a table', ...charts }}
            value={textOf(config['chartType']) || 'table'}
          />
        </>
      );
    default:
      return (
        <label>
          Text, in Markdown
          <textarea name="content" rows={10} dir="auto" defaultValue={textOf(config['content'])} />
        </label>
      );
  }
};

const projectOf = (config: Config): string =>
  textOf(config['projectId']) ||
  textOf((config['query'] as { readonly projectId?: unknown } | undefined)?.projectId); // checked to be a text

/** Asks what a widget shows; of one that is there, its type stays. */
export const WidgetDialog = ({
  workspace,
  boardProject,
  of,
  onSend,
}: {
  workspace: string;
  /** The project of the board; its widgets are about it where they name no other. */
  boardProject: string | undefined;
  of: WidgetDraft | undefined;
  onSend: (draft: WidgetDraft) => Promise<void>;
}) => {
  const [type, setType] = useState(of?.type ?? widgetTypes.metrics);
  const config = of?.config ?? {};
  const [project, setProject] = useState(projectOf(config) || (boardProject ?? ''));
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const needsProject = type !== widgetTypes.text && type !== widgetTypes.query;
  const label = of === undefined ? 'Add a widget' : 'Edit the widget';
  return (
    <Dialog label={label} onClose={closeDialog}>
      <h2>{label}</h2>
      <Form
        label={label}
        verb={of === undefined ? 'Add it' : 'Save'}
        upright
        onSend={async (field) => {
          await onSend({ type, title: field('title'), config: configOf(type, field) });
          closeDialog();
        }}
      >
        {of === undefined ? (
          <label>
            Kind
            <select
              name="kind"
              value={type}
              onChange={({ currentTarget }) => setType(currentTarget.value)}
            >
              {Object.entries(kinds).map(([one, says]) => (
                <option key={one} value={one}>
                  {says}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <label>
          Title
          <input name="title" maxLength={200} dir="auto" defaultValue={of?.title ?? ''} />
        </label>
        {type === widgetTypes.text ? null : (
          <label>
            Project
            <select
              name="project"
              value={project}
              required={needsProject}
              onChange={({ currentTarget }) => setProject(currentTarget.value)}
            >
              <option value="">{needsProject ? 'choose one' : 'the whole workspace'}</option>
              {(value?.projects ?? []).map(({ projectId, projectName }) => (
                <option key={projectId} value={projectId} selected={projectId === project}>
                  {projectName}
                </option>
              ))}
            </select>
          </label>
        )}
        <Fault of={fault} />
        <Members key={type} type={type} config={config} projectId={project} />
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
      </Form>
    </Dialog>
  );
};
