// Calls a channel once: opens its target, gives what is sent its form, and tells what came of it.
import { isFailure } from '#ports/failure';
import type { Channel } from '#ports/model/channels';
import type { Message, Notifiers } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';
import type { Sealer } from '#ports/sealer';
import type { UserStore } from '#ports/storage/users';
import type { WebhookForms, WebhookPayload } from '#ports/webhook-forms';
import { bodyOf, digestOf, messageOf, type Content } from './payload.js';
import { mask, maskAddress, maskHeaders, type Place } from './rules.js';

export interface CallingNeeds {
  readonly sealer: Sealer;
  readonly notifiers: Notifiers;
  readonly forms: WebhookForms;
  readonly users: Pick<UserStore, 'findUser'>;
}

export const sealTarget = (
  { sealer }: Pick<CallingNeeds, 'sealer'>,
  id: string,
  place: Place,
): string => sealer.seal(JSON.stringify(place), id);
/** Rejects with `unavailable` what was sealed under another key. */
export const openTarget = (
  { sealer }: Pick<CallingNeeds, 'sealer'>,
  { id, sealed }: Pick<Channel, 'id' | 'sealed'>,
): Place => JSON.parse(sealer.open(sealed, id)) as Place; // written by `sealTarget`

/** A channel as it is called, saved or not. */
export type Called = Pick<Channel, 'kind' | 'form' | 'formOptions' | 'userId'>;

const optionsOf = ({ formOptions }: Called): Readonly<Record<string, unknown>> =>
  formOptions === undefined ? {} : (JSON.parse(formOptions) as Readonly<Record<string, unknown>>); // written where it was saved

interface Formed {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is sent: the content as it is, or in the form that the webhook asks for where a plugin brings it. */
const formed = ({ forms }: CallingNeeds, called: Called, place: Place, content: string): Formed => {
  const form = called.form === undefined ? undefined : forms.find(called.form);
  if (form === undefined) return { body: bodyOf(content), headers: {} };
  const webhook = { url: place.address, options: optionsOf(called) };
  form.check(webhook);
  return form.write(JSON.parse(content) as WebhookPayload, webhook); // forms are asked for by webhooks only, whose deliveries hold payloads
};

const given = (error: string, retry: boolean): OutgoingReply => ({
  durationMs: 0,
  text: '',
  error,
  retry,
});

/** Where a person is reached: their address is theirs to change. */
const reach = async (
  { users }: CallingNeeds,
  { userId }: Called,
  place: Place,
): Promise<Place | undefined> => {
  if (userId === undefined) return place;
  const user = await users.findUser({ id: userId });
  return user?.email === undefined ? undefined : { ...place, address: user.email };
};

/** Calls it with these contents, several as one message. Rejects with nothing but defects. */
export const callChannel = async (
  needs: CallingNeeds,
  called: Called,
  sealed: () => Place,
  contents: readonly string[],
  signal: AbortSignal,
): Promise<OutgoingReply> => {
  const [first = ''] = contents;
  const notifier = needs.notifiers.find(called.kind);
  if (notifier === undefined)
    return given(`nothing here delivers to channels of the kind ${called.kind}`, true);
  try {
    const place = await reach(needs, called, sealed());
    if (place === undefined) return given('the user has no e-mail address', false);
    const { body, headers } = formed(needs, called, place, first);
    const messages = contents.map((content): Message =>
      messageOf(JSON.parse(content) as Content, body),
    ); // written where it was enqueued
    const [message] = messages;
    if (message === undefined) return given('there is nothing to tell', false);
    const reply = await notifier.send(
      messages.length === 1 ? message : digestOf(messages, message),
      { ...place, formHeaders: headers },
      signal,
    );
    const again =
      reply.error !== undefined &&
      reply.status !== undefined &&
      called.form !== undefined &&
      needs.forms.find(called.form)?.retries?.(reply.status, reply.retryAfter) === true;
    return again ? { ...reply, retry: true } : reply;
  } catch (thrown) {
    if (isFailure(thrown)) return given(thrown.message, thrown.kind === 'unavailable');
    throw thrown;
  }
};

/** What was sent, or would be, with its secrets masked. */
export const showRequest = (
  needs: CallingNeeds,
  called: Called & Pick<Channel, 'use'>,
  sealed: () => Place,
  content: string,
) => {
  try {
    const place = sealed();
    const { body, headers } =
      called.kind === 'http'
        ? formed(needs, called, place, content)
        : { body: bodyOf(content), headers: {} };
    const signed =
      place.secret === undefined
        ? {}
        : place.secretAs === 'authorization'
          ? { Authorization: mask }
          : { 'X-Webhook-Signature': mask, 'X-Hub-Signature-256': mask };
    return {
      method: 'POST',
      url: called.use === 'webhook' ? place.address : maskAddress(called.kind, place.address),
      headers: {
        'Content-Type': 'application/json',
        ...signed,
        ...headers,
        ...maskHeaders(place.headers),
      },
      body,
    };
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    return { method: 'POST', url: '', headers: {}, body: content }; // a target that cannot be opened, or a form that no longer fits, hides no log
  }
};
