export const EvaluatorsScreen = ({ workspace }: { workspace: string }) => <main>{workspace}</main>;
