// Adds, changes and replaces the webhooks of workspaces and models. Over stores handed in.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Channel } from '#ports/model/channels';
import type { Caller } from '#ports/model/identity';
import type { RegistryModel } from '#ports/model/registry';
import type { Workspace } from '#ports/model/workspaces';
import type { Stores } from '#ports/storage/storage';
import { absentModel, normalName } from '../registry/rules.js';
import { openTarget, sealTarget, type CallingNeeds } from './calling.js';
import { checkTriggers, mask, maskHeaders, resolveTarget, type Place } from './rules.js';

export interface ConfiguringNeeds extends CallingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A webhook as it is asked for; what is left out is `undefined`. */
export interface WebhookAsked {
  readonly url: string;
  readonly header?: Readonly<Record<string, string>> | undefined;
  readonly name?: string | undefined;
  readonly triggers?: readonly string[] | undefined;
  readonly secret?: string | undefined;
  readonly secretAsAuthorization?: boolean | undefined;
  readonly githubActions?: boolean | undefined;
  readonly githubOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly webhookId?: string | undefined;
  readonly enabled?: boolean | undefined;
}
export interface ConfigAsked {
  readonly workspaceName?: string | undefined;
  readonly modelName?: string | undefined;
  readonly webhookUrls: readonly WebhookAsked[];
}

/** All webhooks of one workspace that are told of one model, or of every model. */
interface Group {
  readonly workspace: Workspace;
  readonly model: RegistryModel | undefined;
  readonly webhooks: readonly WebhookAsked[];
}

export const requireModel = async (
  { registry }: Pick<Stores, 'registry'>,
  workspaceId: string,
  name: string,
): Promise<RegistryModel> => {
  const found = await registry.findModelByName(workspaceId, normalName(name));
  if (found === undefined) throw absentModel(name);
  return found;
};

/** The groups that a request names, each once. `workspaces` are those that the gate has let through. */
export const groupsOf = async (
  stores: Pick<Stores, 'registry'>,
  configs: readonly ConfigAsked[],
  workspaces: readonly Workspace[],
  caller: Caller,
): Promise<readonly Group[]> => {
  const groups = new Map<string, Group>();
  for (const { workspaceName, modelName, webhookUrls } of configs) {
    const workspace = workspaces.find(({ id, name }) =>
      workspaceName === undefined || workspaceName === ''
        ? id === caller.defaultWorkspaceId
        : name === workspaceName,
    );
    if (workspace === undefined)
      throw new Failure('absent', `workspace ${workspaceName ?? 'of the key'} does not exist`);
    const model =
      modelName === undefined || modelName === ''
        ? undefined
        : await requireModel(stores, workspace.id, modelName);
    const key = `${workspace.id} ${model?.id ?? ''}`;
    groups.set(key, {
      workspace,
      model,
      webhooks: [...(groups.get(key)?.webhooks ?? []), ...webhookUrls],
    });
  }
  return [...groups.values()];
};

const form = 'github-actions';
const placeOf = ({ workspace, model }: Group, url: string): string =>
  `webhook ${workspace.id} ${model?.id ?? '-'} ${url}`;
const webhooksAtMost = 100;
const optionsLength = 20_000;

interface Settled {
  readonly place: Place;
  readonly form: string | undefined;
  readonly formOptions: string | undefined;
  readonly triggers: readonly string[] | undefined;
}

/** What is stored of a webhook over the one that was there. Refuses with `invalid` what could never be called. */
export const resolveWebhook = (
  needs: ConfiguringNeeds,
  asked: WebhookAsked,
  before: Channel | undefined,
  keeps: boolean,
): Settled => {
  needs.notifiers.find('http')?.check({ address: asked.url });
  const secretAs =
    asked.secretAsAuthorization === undefined
      ? undefined
      : asked.secretAsAuthorization
        ? ('authorization' as const)
        : ('signature' as const);
  const masked = asked.secret === mask || Object.values(asked.header ?? {}).includes(mask);
  const place = resolveTarget(
    { address: asked.url, headers: asked.header, secret: asked.secret, secretAs },
    before === undefined || !(keeps || masked) ? undefined : openTarget(needs, before),
    keeps,
  );
  const wants = asked.githubActions ?? (keeps && before?.form === form);
  const options =
    asked.githubOptions === undefined
      ? keeps
        ? before?.formOptions
        : undefined
      : JSON.stringify(asked.githubOptions);
  if ((options?.length ?? 0) > optionsLength)
    throw new Failure('invalid', `githubOptions must be at most ${optionsLength} characters`);
  if (wants)
    needs.forms.find(form)?.check({
      url: asked.url,
      options:
        options === undefined ? {} : (JSON.parse(options) as Readonly<Record<string, unknown>>),
    }); // an object, as the row says
  const triggers =
    asked.triggers === undefined
      ? keeps
        ? before?.triggers
        : undefined
      : checkTriggers(asked.triggers);
  return { place, form: wants ? form : undefined, formOptions: options, triggers };
};

/** The webhook that is meant: by its id, else by its address. */
export const findMeant = async (
  { channels }: Pick<Stores, 'channels'>,
  group: Group,
  { webhookId, url }: WebhookAsked,
): Promise<Channel | undefined> => {
  const found =
    webhookId === undefined || webhookId === ''
      ? await channels.findByPlace(placeOf(group, url))
      : await channels.find(webhookId);
  const fits =
    found?.use === 'webhook' &&
    found.workspaceId === group.workspace.id &&
    found.modelId === group.model?.id;
  if (webhookId !== undefined && webhookId !== '' && !fits)
    throw new Failure('invalid', `webhook ${webhookId.slice(0, 80)} is none of these`);
  return fits ? found : undefined;
};

const put = async (
  stores: Pick<Stores, 'channels'>,
  needs: ConfiguringNeeds,
  group: Group,
  {
    asked,
    before,
    keeps,
    caller,
  }: {
    readonly asked: WebhookAsked;
    readonly before: Channel | undefined;
    readonly keeps: boolean;
    readonly caller: Caller;
  },
): Promise<string> => {
  const now = needs.clock.now();
  const place = placeOf(group, asked.url);
  const {
    place: target,
    form: wanted,
    formOptions,
    triggers,
  } = resolveWebhook(needs, asked, before, keeps);
  const id = before?.id ?? needs.ids.next();
  const shared = { place, triggers, form: wanted, formOptions, updatedAt: now };
  if (before === undefined) {
    await stores.channels.insert({
      id,
      workspaceId: group.workspace.id,
      modelId: group.model?.id,
      use: 'webhook',
      kind: 'http',
      userId: undefined,
      name: asked.name,
      sealed: sealTarget(needs, id, target),
      enabled: asked.enabled ?? true,
      failures: 0,
      fault: undefined,
      createdBy: caller.userId,
      createdAt: now,
      ...shared,
    });
    return id;
  }
  const enabled = asked.enabled ?? (keeps ? before.enabled : true);
  await stores.channels.update(id, {
    ...shared,
    ...(asked.name !== undefined || !keeps ? { name: asked.name } : {}),
    sealed: sealTarget(needs, id, target),
    enabled,
    ...(enabled ? { failures: 0, fault: undefined } : {}),
  });
  return id;
};

/** Adds webhooks to groups and changes those that are there, one request after the other in each workspace; with `whole`, the groups hold these and no others afterwards. */
export const configure = async (
  stores: Pick<Stores, 'channels' | 'workspaces'>,
  needs: ConfiguringNeeds,
  {
    groups,
    caller,
    whole,
  }: { readonly groups: readonly Group[]; readonly caller: Caller; readonly whole: boolean },
): Promise<void> => {
  for (const id of [...new Set(groups.map(({ workspace }) => workspace.id))].sort())
    await stores.workspaces.lock(id);
  for (const group of groups) {
    const { workspace, model, webhooks } = group;
    const twice = webhooks.find(
      ({ url }, place) => webhooks.findIndex((one) => one.url === url) !== place,
    );
    if (twice !== undefined)
      throw new Failure(
        'invalid',
        'a webhook of the same address is named twice for the same models',
      );
    const there = await stores.channels.list({
      workspaceId: workspace.id,
      use: 'webhook',
      modelId: model?.id ?? null,
    });
    const meant = await Promise.all(
      webhooks.map(async (asked) => ({ asked, before: await findMeant(stores, group, asked) })),
    );
    const kept = new Set(meant.flatMap(({ before }) => (before === undefined ? [] : [before.id])));
    if (
      kept.size +
        meant.filter(({ before }) => before === undefined).length +
        (whole ? 0 : there.filter(({ id }) => !kept.has(id)).length) >
      webhooksAtMost
    )
      throw new Failure(
        'invalid',
        `there must be at most ${webhooksAtMost} webhooks for the same models`,
      );
    if (whole) for (const { id } of there) if (!kept.has(id)) await stores.channels.remove(id);
    for (const { asked, before } of meant)
      await put(stores, needs, group, { asked, before, keeps: !whole, caller });
  }
};

/** A webhook as it is shown: nothing that is secret. */
export const showWebhook = (needs: CallingNeeds, channel: Channel) => {
  const { address, headers, secret, secretAs } = openTarget(needs, channel);
  return {
    url: address,
    header: maskHeaders(headers),
    name: channel.name ?? '',
    triggers: channel.triggers ?? [],
    secret: secret === undefined ? '' : mask,
    secretAsAuthorization: secretAs === 'authorization',
    githubActions: channel.form === form,
    githubOptions:
      channel.formOptions === undefined
        ? {}
        : (JSON.parse(channel.formOptions) as Readonly<Record<string, unknown>>),
    webhookId: channel.id,
    enabled: channel.enabled,
    fault: channel.fault ?? null, // written by `resolveWebhook`
  };
};
