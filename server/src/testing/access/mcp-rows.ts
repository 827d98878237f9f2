// The part of route-table.ts about servers of the Model Context Protocol.
export const mcpRows = `
mcp.all                      401 401 401 401   404 404 404 404 404 404 404 404 404 404 404   404 404 404   403
mcp.one              org     401 401 401 401   403 403 403 200 200 200 200 403 403 200 200   200 200 403   403
mcp.one              team    401 401 401 401   404 404 404 200 200 200 200 404 404 200 200   200 200 404   403
served.agent         org     401 401 401 401   403 403 403 200 200 200 200 403 403 200 200   200 200 403   403
served.agent         team    401 401 401 401   404 404 404 200 200 200 200 404 404 200 200   200 200 404   403
`;
