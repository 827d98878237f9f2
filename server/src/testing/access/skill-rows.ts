// The part of route-table.ts about skills.
export const skillRows = `
skills.push          new     401 401 401 401   404 404 404 403 201 201 201 404 404 201 201   403 201 404   403
skills.push          org     401 401 401 401   403 403 403 403 403 201 403 403 403 201 201   403 403 403   403
skills.push          team    401 401 401 401   409 409 409 403 403 201 403 409 409 201 201   403 403 409   403
`;
