// What an experiment is at a moment, and what its wire form says. Pure.
import { calendar } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Experiment, ExperimentState } from '#ports/model/experiments';

export const absentExperiment = (key: string): Failure =>
  new Failure('absent', `experiment ${key.slice(0, 80)} not found`, { reason: 'runAbsent' });

/** How often a live run beats, and how often it reports its processors, in ms. */
export const beats = {
  isAliveBeatDurationMillis: 10_000,
  gpuMonitorIntervalMillis: 60_000,
  cpuMonitorIntervalMillis: 68_000,
} as const;
/** How often an offline run that is being uploaded beats, in ms. */
export const offlineBeatMs = 600_000;
/** A beat may be this late, as a share of its interval, before the run counts as not running. */
const grace = 2.5;
export const liveBeatMs = beats.isAliveBeatDurationMillis * grace;
/** How long an uploaded offline run may be silent, in ms. */
export const offlineSilenceMs = offlineBeatMs * grace;

export const isRunning = (experiment: Experiment, now: number): boolean =>
  experiment.alive && experiment.lastSeenAt + experiment.beatMs >= now;

/** Said to be alive and silent for too long: it ended without saying so. */
export const hasLapsed = (experiment: Experiment, now: number): boolean =>
  experiment.alive && !isRunning(experiment, now);

type Activity = Pick<Experiment, 'lastSeenAt' | 'endTimeMillis' | 'endSet'>;
/** What being heard of at a moment changes: the reference of `ExperimentStore.touch`. An end that was set stays, and nothing goes back in time. */
export const touched = (
  { lastSeenAt, endTimeMillis, endSet }: Activity,
  at: number,
): Omit<Activity, 'endSet'> => ({
  lastSeenAt: Math.max(lastSeenAt, at),
  endTimeMillis: endSet ? endTimeMillis : Math.max(endTimeMillis, at),
});

export const stateOf = (experiment: Experiment, now: number): ExperimentState =>
  isRunning(experiment, now) ? 'running' : experiment.hasCrashed ? 'crashed' : 'finished';

export const toMetadata = (experiment: Experiment, now: number) => ({
  experimentKey: experiment.key,
  experimentName: experiment.name,
  optimizationId: experiment.optimizationId ?? null,
  userName: experiment.userName,
  projectId: experiment.projectId,
  projectName: experiment.projectName,
  workspaceName: experiment.workspaceName,
  filePath: experiment.filePath ?? null,
  fileName: experiment.fileName ?? null,
  throttle: experiment.throttle,
  throttleMessage: experiment.throttleMessage ?? null,
  throttleReasons: experiment.throttleReasons,
  durationMillis: Math.max(0, experiment.endTimeMillis - experiment.startTimeMillis),
  startTimeMillis: experiment.startTimeMillis,
  endTimeMillis: experiment.endTimeMillis,
  archived: experiment.archived,
  running: isRunning(experiment, now),
  hasCrashed: experiment.hasCrashed,
});

/** Where a person sees it; the key ends the address, so clients append it to the project's. */
export const projectLink = (baseUrl: string, workspaceName: string, projectName: string): string =>
  `${baseUrl}/${encodeURIComponent(workspaceName)}/${encodeURIComponent(projectName)}/`;
export const experimentLink = (
  baseUrl: string,
  workspaceName: string,
  projectName: string,
  key: string,
): string => `${projectLink(baseUrl, workspaceName, projectName)}${key}`;

const colours = [
  'amber',
  'azure',
  'beige',
  'coral',
  'copper',
  'crimson',
  'cyan',
  'emerald',
  'golden',
  'indigo',
  'ivory',
  'jade',
  'lilac',
  'maroon',
  'ochre',
  'olive',
  'pearl',
  'ruby',
  'scarlet',
  'silver',
  'teal',
  'violet',
];
const bodies = [
  'asteroid',
  'aurora',
  'comet',
  'corona',
  'cosmos',
  'eclipse',
  'equinox',
  'galaxy',
  'halo',
  'meteor',
  'moon',
  'nebula',
  'nova',
  'orbit',
  'planet',
  'pulsar',
  'quasar',
  'satellite',
  'solstice',
  'star',
  'sun',
  'zenith',
];

/** A name for an experiment that was given none, from the digits of its key. */
export const inventName = (key: string): string => {
  const seed = [...key].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 1_000_003, 7);
  return `${colours[seed % colours.length] ?? ''}-${bodies[Math.floor(seed / 31) % bodies.length] ?? ''}-${seed % 10_000}`;
};

/** Start and end after one or both were set. The other end moves to one second away only when it was never set. */
export const setTimes = (
  experiment: Experiment,
  start: number | undefined,
  end: number | undefined,
) => ({
  ...(start === undefined ? {} : { startTimeMillis: start, startSet: true }),
  ...(end === undefined ? {} : { endTimeMillis: end, endSet: true }),
  ...(start === undefined && end !== undefined && !experiment.startSet
    ? { startTimeMillis: Math.max(end - 1000, calendar.first) }
    : {}),
  ...(end === undefined && start !== undefined && !experiment.endSet
    ? { endTimeMillis: Math.min(start + 1000, calendar.last) }
    : {}),
});
