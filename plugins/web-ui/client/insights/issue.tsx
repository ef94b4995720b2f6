// One issue: what it is, on which days it was found, the traces that show it, and what became of it.
import { pathOf, withQuery } from '../../pure/address.js';
import { membersOf } from '../../pure/boards.js';
import { formatCount } from '../../pure/format.js';
import { writeFilters, type TraceFilter } from '../../pure/trace-filters.js';
import { insightsServer } from '../boards-server.js';
import { Bars } from '../charts/bars.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { Act, Asks } from '../shell/form.js';
import { Markdown } from '../told/markdown.js';
import { Fault, Wait } from '../shell/wait.js';

type Issue = Awaited<ReturnType<typeof insightsServer.issue>>;

const mostTraces = 20;

/** Traces that the days of an issue name, the newest first. */
const tracesOf = ({ details }: Issue): readonly string[] => {
  const found = new Set<string>();
  for (const { metadata } of [...details].reverse()) {
    const ids: unknown = membersOf(metadata)['trace_ids'];
    if (Array.isArray(ids)) for (const id of ids) if (typeof id === 'string') found.add(id);
  }
  return [...found];
};

/** The filters by which an issue finds its traces, where they are filters. */
const filtersOf = (text: string | undefined): readonly TraceFilter[] => {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(read)) return [];
    return read.map((one) => {
      const { field, key, operator, value } = membersOf(one);
      const [a, b, c, d] = [field, key, operator, value].map((part) =>
        typeof part === 'string' ? part : '',
      );
      return { field: a ?? '', key: b ?? '', operator: c ?? '', value: d ?? '' };
    });
  } catch {
    return []; // what a program reported may be a sentence
  }
};

const Evidence = ({ of, base }: { of: Issue; base: readonly string[] }) => {
  const ids = tracesOf(of);
  const filters = filtersOf(of.traces_query);
  const address = withQuery('', { range: 'all', filters: writeFilters(filters) });
  return (
    <>
      <h2>Evidence</h2>
      {filters.length === 0 ? null : (
        <p>
          <a class="button" href={pathOf(...base, 'traces') + address}>
            Traces like these
          </a>
        </p>
      )}
      {ids.length === 0 ? (
        <p class="faint">The report names no single trace.</p>
      ) : (
        <ul aria-label="Traces that show it" class="plain-list">
          {ids.slice(0, mostTraces).map((id) => (
            <li key={id}>
              <a href={pathOf(...base, 'trace', id)}>{id}</a>
            </li>
          ))}
        </ul>
      )}
      {ids.length > mostTraces ? (
        <p class="faint">
          {mostTraces} of {formatCount(ids.length)}
        </p>
      ) : null}
      {filters.length === 0 && of.traces_query !== undefined && of.traces_query !== '' ? (
        <pre class="code" tabIndex={0} role="region" aria-label="How its traces are found">
          {of.traces_query}
        </pre>
      ) : null}
    </>
  );
};

const Days = ({ of: { details, name } }: { of: Issue }) => {
  const days = [...details].sort((a, b) => a.report_day.localeCompare(b.report_day));
  return (
    <>
      <h2>Days</h2>
      {days.length === 0 ? (
        <p class="faint">It was found on no day of this time.</p>
      ) : (
        <>
          <div class="days">
            <Bars
              title={`Traces with ${name}`}
              axis="day"
              x={days.map(({ report_day: day }) => Date.parse(day))}
              labels={days.map(({ report_day: day }) => day)}
              lines={[{ name: 'traces', y: days.map(({ count }) => count) }]}
              times
            />
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Days of the issue">
            <table class="plain many">
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col" class="number">
                    Traces with it
                  </th>
                  <th scope="col" class="number">
                    of
                  </th>
                  <th scope="col" class="number">
                    Users
                  </th>
                </tr>
              </thead>
              <tbody>
                {[...days].reverse().map((day) => (
                  <tr key={day.report_day}>
                    <th scope="row">{day.report_day}</th>
                    <td class="number">{formatCount(day.count)}</td>
                    <td class="number">{formatCount(day.total_count)}</td>
                    <td class="number">
                      {formatCount(day.users_impacted)} of {formatCount(day.total_users)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
};

const Status = ({
  of,
  projectId,
  onChange,
}: {
  of: Issue;
  projectId: string;
  onChange: () => void;
}) => {
  const set = async (status: Issue['status'], note?: string) => {
    await insightsServer.setStatus({
      params: { issue_id: of.id },
      body: {
        project_id: projectId,
        status,
        ...(note === undefined || note === '' ? {} : { close_note: note }),
      },
    });
    onChange();
  };
  return (
    <p class="controls">
      <b>{of.status}</b>
      {of.status_changed_by === undefined ? null : (
        <span class="faint">
          by {of.status_changed_by}
          {of.status_changed_at === undefined
            ? ''
            : `, ${new Date(of.status_changed_at).toLocaleString()}`}
        </span>
      )}
      {!mayWrite.value ? null : (
        <>
          {of.status === 'resolved' ? null : (
            <Act
              verb="Resolve"
              label="Resolve the issue"
              says="The issue is resolved"
              onDo={() => set('resolved')}
            />
          )}
          {of.status === 'closed' ? null : (
            <Asks
              verb="Close"
              label="Close the issue"
              says="The issue is closed"
              onSend={(field) => set('closed', field('note'))}
            >
              <label>
                Why, for whoever looks later
                <textarea name="note" rows={3} maxLength={500} dir="auto" />
              </label>
            </Asks>
          )}
          {of.status === 'open' ? null : (
            <Act
              verb="Open again"
              label="Open again the issue"
              says="The issue is open"
              onDo={() => set('open')}
            />
          )}
        </>
      )}
    </p>
  );
};

const Text = ({ title, of }: { title: string; of: string | undefined }) =>
  of === undefined || of === '' ? null : (
    <>
      <h2>{title}</h2>
      <Markdown text={of} />
    </>
  );

export const IssueView = ({
  base,
  projectId,
  id,
  window,
  onChange,
  onClose,
}: {
  base: readonly string[];
  projectId: string;
  id: string;
  window: { readonly from_date?: string; readonly to_date?: string };
  onChange: () => void;
  onClose: () => void;
}) => {
  const { value, fault, again } = useStored(
    (signal) =>
      insightsServer.issue(
        { params: { issue_id: id }, query: { project_id: projectId, ...window } },
        signal,
      ),
    [projectId, id, JSON.stringify(window)],
  );
  return (
    <section class="issue" aria-label="At a glance">
      <p class="controls">
        <button type="button" onClick={onClose}>
          Back to the list
        </button>
      </p>
      <Fault of={fault} />
      {value === undefined ? (
        fault === undefined ? (
          <Wait />
        ) : null
      ) : (
        <>
          <h2 dir="auto">{value.name}</h2>
          <Status
            of={value}
            projectId={projectId}
            onChange={() => {
              again();
              onChange();
            }}
          />
          {value.close_note === undefined || value.close_note === '' ? null : (
            <p dir="auto">Closed because: {value.close_note}</p>
          )}
          <Text title="What it is" of={value.description} />
          <Text title="Cause" of={value.cause} />
          <Text title="What may help" of={value.suggested_fix} />
          <Days of={value} />
          <Evidence of={value} base={base} />
        </>
      )}
    </section>
  );
};
