export { MCPAdapter, type MCPCall, type MCPProtocolClient } from './adapter.js'
export { type ElicitingServer, elicitationApprovals } from './elicitation-approvals.js'
export { createGateway, type GatewayOptions, type GatewayServer, type Upstream } from './gateway.js'
export type { MCPProtocolServer } from './request-handlers.js'
