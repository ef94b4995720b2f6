// The sources of the screens that are fetched when they are first shown: the page names the one of its address, so that it is on its way from the start.
import type { Place } from './address.js';

/** What knows the screens that are neither lists, pages nor comparisons of runs. */
export const screensSource = 'shell/screens';

/** Below `client`, without the ending. */
export const screenSources: Readonly<Partial<Record<Place['screen'], string>>> = {
  about: 'home/about',
  alert: 'alerts/screen',
  alerts: 'alerts/list',
  artifact: 'artifacts/screen',
  artifacts: 'artifacts/list',
  board: 'boards/screen',
  boards: 'boards/list',
  compare: 'compare/screen',
  dataset: 'datasets/screen',
  datasets: 'datasets/list',
  evaluator: 'evaluators/screen',
  evaluators: 'evaluators/list',
  experiment: 'experiments/screen',
  experiments: 'experiments/list',
  home: 'home/screens',
  insights: 'insights/screen',
  members: 'members/screen',
  model: 'registry/screen',
  models: 'registry/list',
  notifications: 'notifications/screen',
  optimization: 'optimizations/screen',
  optimizations: 'optimizations/list',
  playground: 'playground/screen',
  plugin: 'additions/screen',
  prompt: 'prompts/screen',
  prompts: 'prompts/list',
  providers: 'providers/screen',
  queue: 'queues/screen',
  queues: 'queues/list',
  retention: 'retention/screen',
  run: 'run/screen',
  seeds: 'seeds/screen',
  settings: 'settings/screen',
  sql: 'sql/screen',
  thread: 'threads/screen',
  threads: 'threads/list',
  trace: 'trace/screen',
  traces: 'traces/screen',
  workspace: 'home/screens',
};
