// How a run of the prompt-logging client is read, and how it is refused alone. Pure.
import { trackingFamily } from '#ports/api/families/tracking';
import type { Failure } from '#ports/failure';
import type { ProjectKind } from '#ports/model/projects';
import type { ExperimentChange } from '#ports/storage/experiments';
import type { MetricPoint } from '#ports/storage/metrics';
import type { LoggedValue } from '#ports/storage/values';
import type { JsonAsset } from '../assets/offers.js';
import { asText } from '../logged-input.js';
import { toPoint } from '../metrics/rules.js';
import { changeOf, checkLength, toOther, toParameter } from '../parameters/rules.js';

type Item = Readonly<Record<string, unknown>>;

export interface SentRun {
  readonly experimentKey: string;
  readonly createExperimentRequest?:
    | {
        readonly workspaceName?: string | undefined;
        readonly projectName?: string | undefined;
        readonly type?: string | undefined;
        readonly experimentName?: string | undefined;
      }
    | undefined;
  readonly parameters?: readonly Item[] | undefined;
  readonly metrics?: readonly Item[] | undefined;
  readonly others?: readonly Item[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly jsonAsset?:
    | {
        readonly extension?: string | undefined;
        readonly type?: string | undefined;
        readonly fileName?: string | undefined;
        readonly file: unknown;
      }
    | undefined;
}

export interface PromptRun {
  readonly key: string;
  readonly workspaceName: string | undefined;
  readonly projectName: string | undefined;
  readonly kind: ProjectKind;
  readonly name: string | undefined;
  readonly parameters: readonly LoggedValue[];
  readonly points: readonly MetricPoint[];
  readonly others: readonly LoggedValue[];
  /** What its others change of the experiment itself. */
  readonly change: ExperimentChange;
  readonly tags: readonly string[];
  readonly document: JsonAsset | undefined;
}

const given = <T>(value: T | undefined): value is T => value !== undefined;
const filled = (text: string | undefined) => (text === '' ? undefined : text);

/** The project that runs go to when they name none. */
const defaultProject = 'llm-general';
const document = { fileName: 'comet_llm_data.json', type: 'llm_data' } as const;

/** The run with its values as they are kept; those without a name or a value are left out. Throws `invalid` for what is too long. */
export const readRun = (sent: SentRun, now: number): PromptRun => {
  const asked = sent.createExperimentRequest;
  const others = (sent.others ?? []).flatMap((item): readonly LoggedValue[] => {
    const [key, text] = [
      asText(item['key'] ?? undefined),
      item['value'] === null ? undefined : asText(item['value']),
    ];
    if (key === undefined || key === '' || text === undefined) return [];
    checkLength(key, text);
    return [toOther(key, text, undefined, now)];
  });
  return {
    key: sent.experimentKey,
    workspaceName: filled(asked?.workspaceName),
    projectName: filled(asked?.projectName) ?? defaultProject,
    kind: asked?.type === undefined || asked.type.toUpperCase() === 'LLM' ? 'llm' : 'em',
    name: filled(asked?.experimentName),
    parameters: (sent.parameters ?? []).map((item) => toParameter(item, now)).filter(given),
    points: (sent.metrics ?? []).map((item) => toPoint(item, now)).filter(given),
    others,
    change: Object.assign(
      {},
      ...others.map((other) => changeOf(other.name, other.text) ?? {}),
    ) as ExperimentChange, // made of such changes alone
    tags: (sent.tags ?? []).filter((tag) => tag !== ''),
    document:
      sent.jsonAsset === undefined
        ? undefined
        : {
            fileName: sent.jsonAsset.fileName ?? document.fileName,
            type: sent.jsonAsset.type ?? document.type,
            extension: sent.jsonAsset.extension,
            file: sent.jsonAsset.file,
          },
  };
};

/** The reply to a run that was refused; the others of its batch are not touched. */
export const refusalOf = (failure: Failure) => {
  const exists = failure.kind === 'conflict' && failure.reason === undefined;
  const { status, body } = trackingFamily.dress.failure(
    failure,
    exists ? { status: 400, reason: 'runExists' } : undefined,
  );
  return { status, content: body as Readonly<Record<string, unknown>> }; // the envelope of that family
};
