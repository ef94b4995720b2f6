// Addresses that are told of changes to a model: added, tried, switched off, and what was sent to them.
import { useState } from 'preact/hooks';
import { formatAgo } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { registryServer } from '../server.js';
import { tell } from '../state.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Form } from '../shell/form.js';
import { Wait } from '../shell/wait.js';

interface Of {
  readonly workspace: string;
  /** Where left out, the webhooks are told of every model. */
  readonly model?: string | undefined;
}
type Hooks = Awaited<ReturnType<typeof registryServer.listWebhooks>>;
type Hook = Hooks['webhookConfigs'][number]['webhookUrls'][number];

const hooksOf = ({ webhookConfigs: all }: Hooks, model: string | undefined): readonly Hook[] =>
  all.filter(({ modelName }) => modelName === model).flatMap(({ webhookUrls }) => webhookUrls);

const namesOf = ({ workspace, model }: Of) => ({
  workspaceName: workspace,
  ...(model === undefined ? {} : { modelName: model }),
});

/** What is sent back of a webhook: all but why it was switched off. */
const asAsked = ({ fault: _, ...hook }: Hook) => hook;

const AddHook = ({
  onAdd,
}: {
  onAdd: (hook: { url: string; secret?: string }) => Promise<unknown>;
}) => (
  <Form
    label="Add a webhook"
    verb="Add a webhook"
    onSend={(field) => {
      const [url, secret] = [field('url'), field('secret')];
      return onAdd({ url, ...(secret === '' ? {} : { secret }) });
    }}
  >
    <input name="url" type="url" required aria-label="Address" placeholder="https://…" />
    <input
      name="secret"
      aria-label="Secret"
      placeholder="secret, to sign with"
      autocomplete="off"
    />
  </Form>
);

const Deliveries = ({ of, tick, onChange }: { of: Of; tick: number; onChange: () => void }) => {
  const { value, fault } = useLoaded(
    (signal) => registryServer.deliveries({ query: { ...namesOf(of), size: 50 } }, signal),
    [of.workspace, of.model, tick],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (value.content.length === 0) return <p class="empty">Nothing was sent in the last 30 days.</p>;
  return (
    <div class="scroll">
      <table class="plain">
        <thead>
          <tr>
            <th>What</th>
            <th>To</th>
            <th>State</th>
            <th class="number">Attempts</th>
            <th>When</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {value.content.map((one) => (
            <tr key={one.deliveryId}>
              <td>{one.eventType}</td>
              <td>{one.request.url}</td>
              <td title={one.error ?? one.responseBody ?? ''}>
                {one.state} {one.status ?? ''}
              </td>
              <td class="number">{one.attempts}</td>
              <td>{formatAgo(one.createdAt, Date.now())}</td>
              <td>
                <button
                  type="button"
                  hidden={!mayWrite.value}
                  onClick={() =>
                    attempt(
                      registryServer
                        .redeliver({ params: { deliveryId: one.deliveryId } })
                        .then(() => {
                          tell('It will be sent again');
                          onChange();
                        }),
                    )
                  }
                >
                  Send again
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

export const Webhooks = ({ workspace, model }: Of) => {
  const [tick, setTick] = useState(0);
  const again = () => setTick(tick + 1);
  const names = namesOf({ workspace, model });
  const { value, fault } = useLoaded(
    (signal) => registryServer.listWebhooks({ query: names }, signal),
    [workspace, model, tick, deletions.value],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const hooks = hooksOf(value, model);
  const changed = (says: string) => () => {
    tell(says);
    again();
  };
  const change = (work: Promise<unknown>, says: string) => attempt(work.then(changed(says)));
  const bodyOf = (webhookUrls: ReturnType<typeof asAsked>[]) => ({
    body: { webhookConfigs: [{ ...names, webhookUrls }] },
  });
  const test = (hook: Hook) =>
    attempt(
      registryServer.testWebhook({ body: { ...names, webhook: asAsked(hook) } }).then((came) => {
        tell(came.error ?? `answered ${came.status} in ${came.durationMillis} ms`);
        again();
      }),
    );
  return (
    <>
      {hooks.length === 0 ? (
        <p class="empty">
          No address is told of changes to {model === undefined ? 'all models' : 'this model'}.
        </p>
      ) : null}
      <ul class="requests">
        {hooks.map((hook) => (
          <li key={hook.webhookId ?? hook.url}>
            <p>
              <b>{hook.url}</b>{' '}
              <span class="faint">
                {hook.triggers?.join(', ')} {hook.enabled === false ? '· off' : ''}
              </span>
            </p>
            {hook.fault === null ? null : <p class="fault">{hook.fault}</p>}
            <span hidden={!mayWrite.value}>
              <button type="button" onClick={() => test(hook)}>
                Test
              </button>{' '}
              <button
                type="button"
                onClick={() =>
                  change(
                    registryServer.addWebhook(
                      bodyOf([{ ...asAsked(hook), enabled: hook.enabled === false }]),
                    ),
                    'Saved',
                  )
                }
              >
                {hook.enabled === false ? 'Switch on' : 'Switch off'}
              </button>{' '}
              <Deletes
                verb="Remove"
                what="webhook"
                name={hook.url}
                id={`${hook.webhookId}`}
                warns="Nothing is sent there any more."
                onDo={async () => {
                  // What was added or changed meanwhile stays.
                  const now = hooksOf(await registryServer.listWebhooks({ query: names }), model);
                  const others = now.filter(({ webhookId: id }) => id !== hook.webhookId);
                  return registryServer.setWebhooks(bodyOf(others.map(asAsked)));
                }}
              />
            </span>
          </li>
        ))}
      </ul>
      {mayWrite.value ? (
        <AddHook
          onAdd={(hook) => registryServer.addWebhook(bodyOf([hook])).then(changed('Webhook added'))}
        />
      ) : null}
      <h2>What was sent</h2>
      <Deliveries of={{ workspace, model }} tick={tick} onChange={again} />
    </>
  );
};
