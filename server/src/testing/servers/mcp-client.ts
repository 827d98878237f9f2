// For tests outside of the server.
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
