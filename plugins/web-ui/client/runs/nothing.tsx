// What a table without a run says: that the query finds none, or how the first one comes.
import { query } from '../state.js';

export interface NothingProps {
  readonly workspace: string;
  readonly project: string;
}

export const Nothing = ({ workspace, project }: NothingProps) =>
  query.value.get('q') ? (
    <p class="empty">No run matches this query.</p>
  ) : (
    <div class="empty">
      <p>No run here yet. One that is logged shows up by itself:</p>
      <pre class="error">
        {`experiment = comet_ml.start(workspace="${workspace}", project_name="${project}")
experiment.log_parameter("lr", 0.001)
experiment.log_metric("loss", 0.5, step=1)`}
      </pre>
    </div>
  );
