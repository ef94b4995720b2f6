export const EvaluatorScreen = ({ workspace, id }: { workspace: string; id: string }) => (
  <main>
    {workspace}
    {id}
  </main>
);
