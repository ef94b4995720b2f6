// By this other areas tell alerts what happens in them.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Alert, AlertEvent, AlertEventType } from '#ports/model/alerts';
import type { AlertStore } from '#ports/storage/alerts';
import { namesGuardrail, scopeOf } from './conditions.js';
import type { AlertSettings } from './settings.js';

/** Enabled alerts of a workspace that wait for events. */
type Listening = readonly Pick<Alert, 'workspaceId' | 'id' | 'triggers'>[];

interface Known {
  readonly at: number;
  readonly listening: Promise<Listening>;
}
/** How long what is known of a workspace is believed, and of how many workspaces anything is. */
const [believedMs, mostKnown] = [5000, 1000];
/** What is known, by the store that was asked: areas that ask one store share it. */
const knownOf = new WeakMap<AlertStore, Map<string, Known>>();

const knownIn = (alerts: AlertStore): Map<string, Known> => {
  const known = knownOf.get(alerts) ?? new Map<string, Known>();
  knownOf.set(alerts, known);
  return known;
};

/** Has the next event of a workspace look at its alerts anew. */
export const forgetListening = (alerts: AlertStore, workspaceId: string): void => {
  knownIn(alerts).delete(workspaceId);
};

const readListening = async (alerts: AlertStore, workspaceId: string): Promise<Listening> =>
  (await alerts.listEnabled(workspaceId)).map(({ id, triggers }) => ({
    ...{ workspaceId, id, triggers },
  }));

const findListening = (
  alerts: AlertStore,
  clock: Clock,
  workspaceId: string,
): Promise<Listening> => {
  const known = knownIn(alerts);
  const found = known.get(workspaceId);
  if (found !== undefined && found.at > clock.now() - believedMs) return found.listening;
  if (known.size >= mostKnown) known.clear();
  const listening = readListening(alerts, workspaceId);
  const entry = { at: clock.now(), listening };
  known.set(workspaceId, entry);
  listening.catch(() => {
    if (known.get(workspaceId) === entry) known.delete(workspaceId); // only what was read is believed
  });
  return listening;
};

/** One thing that happened. */
export interface Happened {
  /** `undefined` for what is the workspace's: alerts of a project do not hear of it. */
  readonly projectId: string | undefined;
  /** What is told of it. */
  readonly record: Readonly<Record<string, unknown>>;
  /** The name of the guardrail that failed. */
  readonly guardrail?: string;
}
export interface Happening {
  readonly eventType: AlertEventType;
  readonly userName: string;
  /** Told as one event where `together`, else as one each. */
  readonly happened: readonly Happened[];
  readonly together: boolean;
}

/** As much of what happened at once as is told, and of one text of it. */
export const mostTold = 100;
const longestText = 10_000;
const told = (record: unknown): string =>
  JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'string' && value.length > longestText
      ? `${value.slice(0, longestText)}…`
      : value,
  );

/** The alerts of a workspace, as they were a moment ago. */
export interface Listeners {
  /** Whether one of them waits for one of these types. */
  waits(...eventTypes: readonly AlertEventType[]): boolean;
  /** What is to be recorded in the transaction of the change: events of each alert that waits for them. */
  eventsOf(happening: Happening): readonly AlertEvent[];
}

/** Finds the alerts of a workspace, before a transaction begins. */
export const alertListeners =
  ({
    alerts,
    clock,
    ids,
    settings,
  }: {
    readonly alerts: AlertStore;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly settings: AlertSettings;
  }) =>
  async (workspaceId: string): Promise<Listeners> => {
    const listening = await findListening(alerts, clock, workspaceId);
    return {
      waits: (...eventTypes) =>
        listening.some(({ triggers }) =>
          triggers.some(({ eventType }) => eventTypes.includes(eventType)),
        ),
      eventsOf({ eventType, userName, happened, together }) {
        const at = clock.now();
        const ripeAt = at + settings.ORRERY_ALERT_WINDOW_SECONDS * 1000;
        return listening.flatMap(({ id, triggers }) => {
          const trigger = triggers.find((one) => one.eventType === eventType);
          if (trigger === undefined) return [];
          const scope = scopeOf(trigger);
          const records = happened
            .filter(
              ({ projectId, guardrail }) =>
                (scope === undefined || (projectId !== undefined && scope.has(projectId))) &&
                (guardrail === undefined || namesGuardrail(trigger, guardrail)),
            )
            .slice(0, mostTold)
            .map(({ record }) => record);
          if (records.length === 0) return [];
          return (together ? [records] : records).map((record): AlertEvent => ({
            ...{ workspaceId, alertId: id, eventType, id: ids.next(), at, ripeAt, userName },
            record: told(record),
          }));
        });
      },
    };
  };
