import { expect } from 'chai';
import { payloadFor, type AlertNotice } from '#core/alerts/payloads';
import { sampleNotice } from '#core/alerts/samples';
import { alertEventTypes, type AlertEventType, type AlertType } from '#ports/model/alerts';

const base = 'https://orrery.example';
const notice = (eventType: AlertEventType, given: Partial<AlertNotice> = {}): AlertNotice => ({
  ...sampleNotice(eventType, {
    ...{ id: 'n', at: 0, alertId: 'a', alertName: 'Ours' },
    ...{ workspaceId: 'w', workspaceName: 'my team' },
  }),
  ...given,
});
const sent = (
  type: AlertType,
  what: AlertNotice,
  metadata: Readonly<Record<string, string>> = {},
): Record<string, unknown> => ({ ...payloadFor({ type, metadata }, what, base) });
interface Block {
  readonly type: string;
  readonly text: { readonly text: string };
}
const textsOf = (what: AlertNotice, metadata?: Readonly<Record<string, string>>) =>
  (sent('slack', what, metadata)['blocks'] as readonly Block[]).map(({ text }) => text.text); // as Slack reads them

describe('payloads of alerts', () => {
  it('hold all that is told in the general form', () => {
    expect(sent('general', notice('prompt:created', { eventIds: ['1', '2'] }))).to.deep.include({
      ...{ id: 'n', eventType: 'prompt:created', alertId: 'a', alertName: 'Ours' },
      ...{ workspaceId: 'w', workspaceName: 'my team', createdAt: '1970-01-01T00:00:00.000000Z' },
    });
    expect(
      sent('general', notice('prompt:created', { eventIds: ['1', '2'] }))['payload'],
    ).to.deep.include({
      eventIds: ['1', '2'],
      eventCount: 2,
      message: "Alert 'Ours': 2 prompts created (prompt:created)",
    });
  });

  it('lead to where each thing is seen, for Slack, each once', () => {
    const trace = { entity_id: 't', project_id: 'p' };
    const guarded = notice('trace:guardrails_triggered', { metadata: [[trace, trace], [trace]] });

    expect(textsOf(guarded)).to.deep.equal([
      'Ours',
      '*1* guardrail triggered',
      '`t` <https://orrery.example/my%20team/projects/p/traces?trace=t|View>',
    ]);
    expect(textsOf(notice('prompt:deleted', { metadata: [[{ id: '<a&b>' }]] }))[2]).to.equal(
      '`&lt;a&amp;b&gt;`',
    );
    expect(
      textsOf(notice('prompt:created', { metadata: [{ id: 'q' }] }), {
        base_url: 'https://ui.example/|>',
      })[2],
    ).to.equal('`q` <https://ui.example/%7C%3E/my%20team/prompts/q|View>');
  });

  it('stay below what Slack takes, and say how many there are', () => {
    const many = notice('prompt:created', {
      alertName: '\u{1f600}'.repeat(100),
      metadata: Array.from({ length: 100 }, (_, at) => ({ id: `prompt-${at}` })),
    });
    const [title = '', , lines = '', rest] = textsOf(many);

    expect(title).to.equal('\u{1f600}'.repeat(75));
    expect(lines.length).to.be.within(2800, 2950);
    expect(rest).to.equal('100 in total: <https://orrery.example/my%20team/prompts|View all>');
  });

  it('say to PagerDuty how grave it is', () => {
    const severityOf = (type: AlertEventType) =>
      (sent('pagerduty', notice(type))['payload'] as Record<string, unknown>)['severity']; // as PagerDuty reads it

    expect(alertEventTypes.map(severityOf)).to.deep.equal([
      ...['error', 'warning', 'warning', 'warning', 'warning'],
      ...['info', 'info', 'info', 'info', 'info'],
    ]);
    const told = sent('pagerduty', notice('trace:cost'), { routing_key: 'r' });
    expect(told).to.deep.include({ routing_key: 'r', event_action: 'trigger', dedup_key: 'n' });
  });
});
