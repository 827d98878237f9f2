import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bumpVersion } from '../contract/src/agent-yaml.ts';
import { deployProject, drained } from './deploy-project.ts';
import { openMeasured } from './service.ts';
process.env.BASE_IMAGE='gantry-base:bookworm'; process.env.BUILD_CA_FILE='/etc/ssl/certs/ca-certificates.crt';
const m = await openMeasured();
process.once('SIGTERM', async()=>{await m.close();process.exit()});
const p = await m.installation.project('langgraph-greeter','pp',{name:'pp'});
console.log('dir', m.installation.directory, m.installation.url, await m.installation.pid(), m.token);
let d = await deployProject(m.client,p);
console.log('first', d.switched_s, d.push_s, ['build','provision','start','register','endpoint'].map(s=>s+' '+d.step_s(s)).join(' '));
const N=Number(process.argv[2]??5);
for(let i=0;i<N;i++){
  await appendFile(join(p,'agent.py'),`# ${i}\n`); const f=join(p,'agent.yaml'); await writeFile(f, bumpVersion(await readFile(f,'utf8'),'patch')!.text);
  d = await deployProject(m.client,p);
  const c=(await m.engine.docker.listContainers({filters:{label:['gantry.revision='+d.revision_id]}}))[0]!;
  const cpu=await readFile(`/sys/fs/cgroup/cpuacct/docker/${c.Id}/cpuacct.usage`,'utf8').catch(async()=>await readFile(`/sys/fs/cgroup/docker/${c.Id}/cpu.stat`,'utf8')).catch(e=>String(e));
  console.log(d.switched_s.toFixed(2),'push',d.push_s.toFixed(2), ['validate','authorize','resolve','build','provision','start','register','endpoint'].map(s=>s+' '+d.step_s(s).toFixed(2)).join(' '),'cpu',cpu.trim().slice(0,40), (await readFile('/proc/loadavg','utf8')).slice(0,5));
}
if(process.argv[3]==='keep') await new Promise(()=>setInterval(()=>{},1e6));
await m.close();
