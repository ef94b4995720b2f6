export const AlertScreen = ({ workspace, id }: { workspace: string; id: string }) => (
  <main>
    {workspace}
    {id}
  </main>
);
