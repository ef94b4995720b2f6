// Queries that were asked lately of a project, in this browser alone.
const most = 8;
const keyOf = (project: string) => `queries ${project}`;

export const recentQueries = (project: string): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(project)) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter((one): one is string => typeof one === 'string').slice(0, most)
      : [];
  } catch {
    return [];
  }
};

export const keepQuery = (project: string, text: string): void => {
  if (text === '') return;
  const others = recentQueries(project).filter((one) => one !== text);
  localStorage.setItem(keyOf(project), JSON.stringify([text, ...others].slice(0, most)));
};
