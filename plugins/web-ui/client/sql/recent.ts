// The last statements that somebody ran in a workspace; they stay in this browser.

const mostKept = 20;
const keyOf = (workspace: string): string => `sql:${workspace}`;

export const recentStatements = (workspace: string): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(workspace)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return []; // what somebody else wrote there is no list of statements
  }
};

export const keepStatement = (workspace: string, statement: string): void => {
  const others = recentStatements(workspace).filter((one) => one !== statement);
  try {
    localStorage.setItem(
      keyOf(workspace),
      JSON.stringify([statement, ...others].slice(0, mostKept)),
    );
  } catch {
    // Where the browser keeps nothing, or no more, the statement is run all the same.
  }
};
