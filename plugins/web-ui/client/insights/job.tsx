// The job that looks through the traces of a project: whether it runs every day, what it is told, and a run at once.
import { insightsServer, type InsightsJob } from '../boards-server.js';
import { useStored } from '../loading.js';
import { mayWrite, Refused } from '../request.js';
import { formatAgo } from '../../pure/format.js';
import { Act, Asks } from '../shell/form.js';
import { Fault, Wait } from '../shell/wait.js';

/** The job of the project; null where it has none. */
const loadJob = async (projectId: string, signal: AbortSignal): Promise<InsightsJob | null> => {
  try {
    return await insightsServer.job({ params: { projectId } }, signal);
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status === 404 && thrown.message.includes('no job'))
      return null;
    throw thrown;
  }
};

const Failure = ({ of }: { of: InsightsJob }) =>
  of.last_failure_reason === undefined ? null : (
    <p class="fault">
      The run of{' '}
      {of.last_failed_at === undefined ? 'before' : new Date(of.last_failed_at).toLocaleString()}{' '}
      came to nothing: {of.last_failure_detail ?? of.last_failure_reason.replaceAll('_', ' ')}
    </p>
  );

export const JobView = ({ projectId, onRun }: { projectId: string; onRun: () => void }) => {
  const { value, fault, again } = useStored((signal) => loadJob(projectId, signal), [projectId]);
  const params = { projectId };
  if (fault !== undefined) return <Fault of={fault} />;
  if (value === undefined) return <Wait />;
  const enabled = value?.status === 'enabled';
  const toggle = async () => {
    if (value === null) await insightsServer.createJob({ params });
    await insightsServer.updateJob({ params, body: { status: enabled ? 'disabled' : 'enabled' } });
    again();
  };
  const trigger = async () => {
    if (value === null) await insightsServer.createJob({ params });
    await insightsServer.trigger({ params });
    again();
    onRun();
  };
  return (
    <section aria-label="Job">
      <p class="controls">
        <span>
          {enabled
            ? 'The traces of this project are looked through every day.'
            : 'The traces of this project are not looked through by themselves.'}{' '}
          <span class="faint">
            {value?.last_scan_at === undefined
              ? 'They were not yet.'
              : `Last ${formatAgo(Date.parse(value.last_scan_at), Date.now())}.`}
          </span>
        </span>
        {mayWrite.value ? (
          <>
            <Act
              verb={enabled ? 'Switch off' : 'Look every day'}
              label={enabled ? 'Switch off looking every day' : 'Look every day'}
              says={enabled ? 'It is switched off' : 'The traces are looked through every day now'}
              onDo={toggle}
            />
            <Act
              verb="Look now"
              label="Look now"
              says="The traces of the last 24 hours are looked through; what is found shows here"
              onDo={trigger}
            />
            <Asks
              verb="Guidance"
              label="Guidance"
              send="Save"
              says="The guidance is saved"
              onSend={async (field) => {
                await insightsServer.setGuidance({
                  params,
                  body: { guidance: field('guidance') },
                });
                again();
              }}
            >
              <label>
                What every run is told: what this project is, what is normal in it, what matters
                <textarea
                  name="guidance"
                  rows={8}
                  maxLength={5000}
                  dir="auto"
                  defaultValue={value?.guidance ?? ''}
                />
              </label>
            </Asks>
          </>
        ) : null}
      </p>
      {value === null ? null : <Failure of={value} />}
      {value?.guidance === undefined || value.guidance === '' ? null : (
        <p class="faint" dir="auto">
          Told: {value.guidance}
          {value.results_guidance_version !== undefined &&
          value.results_guidance_version < value.guidance_version
            ? ' (what is listed was found before this was said)'
            : ''}
        </p>
      )}
    </section>
  );
};
