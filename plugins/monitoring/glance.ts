// How a model drifts, at a glance: how many of its features did lately, and which one most.
import { driftsIn } from './alert-reading.js';
import { usualThresholds } from './alert-rules.js';
import { Facts } from './facts.js';
import { fieldsOf } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import type { Question } from './queries.js';

const algorithm = 'PSI';
const [glanceDays, mostFeatures, leastSamples] = [7, 200, 200] as const;

/** The features that had a value last, against the baseline, over the last seven days: what counts as drift is what alerts take for it. */
export const glanceAtDrift = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'analytics'>,
  question: Question,
) => {
  const fields = await fieldsOf(needs.tables, question.model.id);
  const columns = [...fields.values()]
    .filter(({ source }) => source === 'feature')
    .sort((one, other) => other.lastSeen - one.lastSeen || (one.name < other.name ? -1 : 1))
    .slice(0, mostFeatures)
    .map(({ column }) => column);
  const to = (Math.floor(needs.clock.now() / hourMs) + 1) * hourMs;
  const from = to - glanceDays * dayMs;
  const facts = new Facts(needs, question, fields, []);
  const slice = { version: null, segment: null };
  const measuring = { algorithm, baselineId: null } as const;
  const found = (await driftsIn(measuring, facts, columns, slice, from, to))
    .map(({ value, significant, sampleCount }, at) => ({
      name: fields.get(columns[at] ?? '')?.name ?? '',
      value: value ?? 0,
      isCompared: value !== null,
      isSignificant: significant === true && sampleCount >= leastSamples,
    }))
    .filter(({ isCompared }) => isCompared);
  const [bound = 0] = usualThresholds('FEATURE_DRIFT', algorithm)[0] ?? [];
  const drifted = found
    .filter(({ value, isSignificant }) => isSignificant && value > bound)
    .sort((one, other) => other.value - one.value);
  const [worst] = drifted;
  return {
    algorithm,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    compared: found.length,
    drifted: drifted.length,
    worst: worst === undefined ? null : { name: worst.name, value: worst.value },
  };
};
