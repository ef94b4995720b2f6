export const AlertsScreen = ({ workspace }: { workspace: string }) => <main>{workspace}</main>;
