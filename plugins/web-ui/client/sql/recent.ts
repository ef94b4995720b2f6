// The last statements that somebody ran in a workspace; they stay in this browser.

const mostKept = 20;
const keyOf = (workspace: string): string => `sql:${workspace}`;

const draftKey = (workspace: string): string => `sql-draft:${workspace}`;

/** Keeps what is written over the statement that the address holds, until the tab is closed. */
export const keepDraft = (workspace: string, asked: string, text: string): void => {
  try {
    sessionStorage.setItem(draftKey(workspace), JSON.stringify([asked, text]));
  } catch {
    // Where the browser keeps nothing, what is written lasts as long as the page.
  }
};
export const keptDraft = (workspace: string, asked: string): string | undefined => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(draftKey(workspace)) ?? '[]');
    return Array.isArray(kept) && kept[0] === asked && typeof kept[1] === 'string'
      ? kept[1]
      : undefined;
  } catch {
    return undefined; // what somebody else wrote there is no statement
  }
};

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
