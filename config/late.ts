// What is known only once plugins have joined. The ports that tell of it are bound before, and read it when somebody asks them.
import type { Route } from '#adapters/http/route';
import type { ResolvedKind } from '#ports/api/kind-definition';
import type { WebhookForm } from '#ports/webhook-forms';
import type { Joined } from './joining.js';

export interface Late {
  routes: readonly Route[];
  kinds: ReadonlyMap<string, ResolvedKind>;
  joined: readonly Joined[];
}

export const nothingYet = (): Late => ({ routes: [], kinds: new Map(), joined: [] });

/** The form of webhooks of this name that a plugin brought. */
export const findForm = ({ joined }: Late, name: string): WebhookForm | undefined =>
  joined
    .flatMap(({ contribution }) => contribution.webhookForms ?? [])
    .find((form) => form.name === name);
