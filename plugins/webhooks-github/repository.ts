// https://docs.github.com/en/rest/repos/repos#create-a-repository-dispatch-event
import { Failure } from '#ports/failure';
import type { WebhookPayload } from '#ports/webhook-forms';
import { checkNames, textOption } from './options.js';

const eventTypeAtMost = 100;
const keysAtMost = 10;
const bytesBelow = 64 * 1024;

type Options = Readonly<Record<string, unknown>>;

export const checkRepositoryOptions = (options: Options): void => {
  checkNames(options, ['eventType']);
  textOption(options, 'eventType', eventTypeAtMost);
};

/** Ten members, which is as many as GitHub takes; everything else goes into the last. */
const clientPayload = ({
  eventType,
  workspaceName,
  registryModelName,
  version,
  status,
  tags,
  previousValue,
  newValue,
  modelUrl,
  ...details
}: WebhookPayload) => ({
  eventType,
  workspaceName,
  registryModelName,
  version,
  status,
  tags,
  previousValue,
  newValue,
  url: modelUrl,
  details: details as unknown,
});

/** What is given up, one after the other, when the payload is too large: details first. */
const lighter = [{ details: null }, { previousValue: null, newValue: null }, { tags: [] }] as const;

export const repositoryBody = (payload: WebhookPayload, options: Options): string => {
  let sent: Readonly<Record<string, unknown>> = clientPayload(payload);
  if (Object.keys(sent).length > keysAtMost)
    throw new Failure('invalid', `client_payload must have at most ${keysAtMost} members`);
  for (const without of [{}, ...lighter]) {
    sent = { ...sent, ...without };
    if (Buffer.byteLength(JSON.stringify(sent)) < bytesBelow)
      return JSON.stringify({
        event_type: textOption(options, 'eventType', eventTypeAtMost) ?? 'model-registry',
        client_payload: sent,
      });
  }
  throw new Failure('invalid', `client_payload must be smaller than ${bytesBelow} bytes`);
};
