import { formatAgo } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { session } from '../request.js';
import { adminServer, ownServer } from '../settings-server.js';
import { Act } from '../shell/form.js';
import { Rows } from '../shell/rows.js';

/** Programs that one allowed access by OAuth, and how to end that. */
export const Programs = () => {
  const { value, fault, again } = useStored((signal) => ownServer.listPrograms({}, signal), []);
  return (
    <>
      <p class="said">
        Programs that you allowed to act for you, each in the workspaces you chose.
      </p>
      <Rows
        label="Connected programs"
        of={{ value: value?.programs, fault }}
        head={['Program', 'Workspaces', 'Used', '']}
        empty="No program acts for you."
      >
        {(one) => (
          <tr key={one.clientId}>
            <td class="long">
              {one.clientName}{' '}
              <span class="faint">
                {one.clientUri ?? ''}
                {one.enabled ? '' : ' · switched off'}
              </span>
            </td>
            <td class="long">{one.workspaces.map((of) => of.workspaceName).join(', ')}</td>
            <td>
              {formatAgo(
                Math.max(one.registeredAt, ...one.workspaces.map((of) => of.lastRefreshedAt)),
                Date.now(),
              )}
            </td>
            <td class="does">
              {session.value?.admin === true && one.enabled ? (
                <Act
                  verb="Switch off"
                  label={`Switch off ${one.clientName} for everybody`}
                  warns="It acts for nobody any more, and cannot ask for access again."
                  says="The program is switched off"
                  danger
                  onDo={() =>
                    adminServer
                      .disableProgram({ params: { clientId: one.clientId } })
                      .finally(again)
                  }
                />
              ) : null}
              <Act
                verb="End"
                label={`End the access of ${one.clientName}`}
                warns="It has to ask you again before it can act for you."
                says="The program has no access any more"
                danger
                onDo={() =>
                  ownServer.endProgram({ params: { clientId: one.clientId } }).finally(again)
                }
              />
            </td>
          </tr>
        )}
      </Rows>
    </>
  );
};
