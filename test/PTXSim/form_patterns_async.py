# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of matrix and asynchronous instructions, and of what the simulator leaves out; see forms.py."""

from form_patterns import E, PF, RND, opt, out

# matrix
for n,k in ((1,'%r1'),(2,'%r1,%r2'),(4,'%r1,%r2,%r3,%r4')):
    E('ldmatrix.sync.aligned.m8n8.x%d<t><s>.b16 {%s}, [%%r9]'%(n,k),t=opt('.trans'),s=opt('.shared','.shared::cta')) 
    E('stmatrix.sync.aligned.m8n8.x%d<t><s>.b16 [%%r9], {%s}'%(n,k),t=opt('.trans'),s=opt('.shared','.shared::cta'))
    E('ldmatrix.sync.aligned.m8n8.x%d<t><s>.b16 {%s}, [%%d9]'%(n,k),t=opt('.trans'),s=opt('.shared'))
    E('ldmatrix.sync.aligned.m16n16.x%d.trans.shared.b8 {%s}, [%%r9]'%(n,k))
    E('stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8 [%%r9], {%s}'%(n,k))
E('movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2')
def V(c,n,b): return '{'+','.join('%%%s%d'%(c,b+i) for i in range(n))+'}'
def mma(shape,dt,at,bt,ct,nd,na,nb,nc,lay='.row.col',extra='',post='',sp=False):
    cr=lambda t:{'f32':'f','f64':'g'}.get(t,'r'); ar=lambda t:'g' if t=='f64' else 'r'
    s='mma.%ssync.aligned.%s%s%s.%s.%s.%s.%s%s %s, %s, %s, %s'%('sp.' if sp else '',shape,lay,extra,dt,at,bt,ct,post,V(cr(dt),nd,1),V(ar(at),na,10),V(ar(bt),nb,20),V(cr(ct),nc,30))
    if sp: s+=', %r50, 0'
    E(s)
for d in ('f16','f32'):
  for c in ('f16','f32'):
    k=lambda t:4 if t=='f32' else 2
    mma('m16n8k8',d,'f16','f16',c,k(d),2,1,k(c))
    mma('m16n8k16',d,'f16','f16',c,k(d),4,2,k(c))
    for f in ('e4m3','e5m2'):
      for g in ('e4m3','e5m2'):
        mma('m16n8k32',d,f,g,c,k(d),4,2,k(c))
        mma('m16n8k16',d,f,g,c,k(d),2,1,k(c))
    for la in ('.row','.col'):
      for lb in ('.row','.col'):
        k4=lambda t:8 if t=='f32' else 4
        mma('m8n8k4',d,'f16','f16',c,k4(d),2,2,k4(c),la+lb)
mma('m16n8k4','f32','tf32','tf32','f32',4,2,1,4)
mma('m16n8k8','f32','tf32','tf32','f32',4,4,2,4)
mma('m16n8k8','f32','bf16','bf16','f32',4,2,1,4)
mma('m16n8k16','f32','bf16','bf16','f32',4,4,2,4)
mma('m8n8k4','f64','f64','f64','f64',2,1,1,2)
mma('m16n8k4','f64','f64','f64','f64',4,2,1,4)
mma('m16n8k8','f64','f64','f64','f64',4,4,2,4)
mma('m16n8k16','f64','f64','f64','f64',4,8,4,4)
for r in RND: mma('m8n8k4','f64','f64','f64','f64',2,1,1,2,extra=r)
for x in ('','.satfinite'):
  for f in 'us':
    for g in 'us':
      mma('m8n8k16','s32',f+'8',g+'8','s32',2,1,1,2,extra=x)
      mma('m16n8k16','s32',f+'8',g+'8','s32',4,2,1,4,extra=x)
      mma('m16n8k32','s32',f+'8',g+'8','s32',4,4,2,4,extra=x)
      mma('m8n8k32','s32',f+'4',g+'4','s32',2,1,1,2,extra=x)
      mma('m16n8k32','s32',f+'4',g+'4','s32',4,2,1,4,extra=x)
      mma('m16n8k64','s32',f+'4',g+'4','s32',4,4,2,4,extra=x)
for o in ('.xor','.and'):
  mma('m8n8k128','s32','b1','b1','s32',2,1,1,2,post=o+'.popc')
  mma('m16n8k128','s32','b1','b1','s32',4,2,1,4,post=o+'.popc')
  mma('m16n8k256','s32','b1','b1','s32',4,4,2,4,post=o+'.popc')
mma('m16n8k16','f32','f16','f16','f32',4,2,2,4,sp=True)
mma('m16n8k32','f32','f16','f16','f32',4,4,4,4,sp=True)
mma('m16n8k32','s32','s8','s8','s32',4,2,2,4,sp=True)
WN=[8*i for i in range(1,33)]
def wg(n,k,d,a,b,nd,ss,tail,sat=''):
    dr={'f32':'f'}.get(d,'r')
    A='%d1' if ss else V('r',4,140)
    E('wgmma.mma_async.sync.aligned.m64n%dk%d%s.%s.%s.%s %s, %s, %%d2, %%p1%s'%(n,k,sat,d,a,b,V(dr,nd,1),A,tail))
for n in WN:
  for d in ('f16','f32'):
    nd=n//4 if d=='f16' else n//2
    for ss in (1,0):
      for a in ('f16','bf16'):
        wg(n,16,d,a,a,nd,ss,', 1, -1, 0, 1' if ss else ', 1, 1, 1')
      if d=='f32': wg(n,8,d,'tf32','tf32',nd,ss,', 1, 1')
      for f in ('e4m3','e5m2'):
        for g in ('e4m3','e5m2'): wg(n,32,d,f,g,nd,ss,', 1, 1')
  for f in 'us':
    for g in 'us':
      for sat in ('','.satfinite'):
        for ss in (1,0): wg(n,32,'s32',f+'8',g+'8',n//2,ss,'',sat)
E('wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1,%r2,%r3,%r4}, %d1, %d2, %p1')
E('wgmma.fence.sync.aligned')
E('wgmma.commit_group.sync.aligned')
E('wgmma.wait_group.sync.aligned <n>',n=['0','1','7'])
# wmma
E('wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1], %r9')
E('wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18},{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}')
E('wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r9')
# cp.async
E('cp.async.ca.shared<s>.global<p> [%r1], [%d1], <n>',s=opt('::cta'),p=opt(*PF),n=['4','8','16','4, %r2','8, %r2','16, %r2','16, 8','4, 0','16, %p1'])
E('cp.async.cg.shared<s>.global<p> [%r1], [%d1], 16<n>',s=opt('::cta'),p=opt(*PF),n=['',', %r2',', %p1',', 0'])
E('cp.async<c>.shared.global.L2::cache_hint<p> [%r1], [%d1], 16<n>, %d5',c=['.ca','.cg'],p=opt(*PF),n=['',', %r2',', %p1'])
E('cp.async.commit_group')
E('cp.async.wait_group <n>',n=['0','3'])
E('cp.async.wait_all')
E('cp.async.mbarrier.arrive<n><s>.b64 [%r1]',n=opt('.noinc'),s=opt('.shared','.shared::cta'))
# mbarrier
ms=opt('.shared','.shared::cta')
A='[%r1]'
E('mbarrier.init<s>.b64 [<a>], <n>',s=ms,a=['%r1','%d1','smem'],n=['%r2','1'])
E('mbarrier.inval<s>.b64 [%r1]',s=ms)
E('mbarrier.expect_tx<m><c><s>.b64 [%r1], %r2',m=opt('.relaxed'),c=opt('.cta','.cluster'),s=ms+['.shared::cluster'])
E('mbarrier.complete_tx<m><c><s>.b64 [%r1], %r2',m=opt('.relaxed'),c=opt('.cta','.cluster'),s=ms+['.shared::cluster'])
E('mbarrier<v><m><c><s>.b64 <d>, [%r1]<n>',v=['.arrive','.arrive_drop'],m=opt('.release','.relaxed'),c=opt('.cta','.cluster'),s=ms+['.shared::cluster'],d=['%d9','_'],n=opt(', %r2',', 1'))
E('mbarrier<v>.expect_tx<m><c><s>.b64 <d>, [%r1], %r2',v=['.arrive','.arrive_drop'],m=opt('.release','.relaxed'),c=opt('.cta','.cluster'),s=ms+['.shared::cluster'],d=['%d9','_'])
E('mbarrier<v>.noComplete<m><c><s>.b64 %d9, [%r1], %r2',v=['.arrive','.arrive_drop'],m=opt('.release'),c=opt('.cta'),s=ms)
E('mbarrier.test_wait<p><m><c><s>.b64 %p1, [%r1], <o>',p=[''],m=opt('.acquire','.relaxed'),c=opt('.cta','.cluster'),s=ms,o=['%d9'])
E('mbarrier.test_wait.parity<m><c><s>.b64 %p1, [%r1], <o>',m=opt('.acquire','.relaxed'),c=opt('.cta','.cluster'),s=ms,o=['%r9','0'])
E('mbarrier.try_wait<m><c><s>.b64 %p1, [%r1], %d9<h>',m=opt('.acquire','.relaxed'),c=opt('.cta','.cluster'),s=ms,h=opt(', %r2',', 1000'))
E('mbarrier.try_wait.parity<m><c><s>.b64 %p1, [%r1], %r9<h>',m=opt('.acquire','.relaxed'),c=opt('.cta','.cluster'),s=ms,h=opt(', %r2'))
E('mbarrier.pending_count.b64 %r1, %d1')
E('mbarrier.arrive.b64 %d9, [%d1]')
E('mbarrier.arrive.shared.b64 _, [%r1], %r2')
# bulk
MB='.mbarrier::complete_tx::bytes'
E('cp.async.bulk<d>.global'+MB+'<h>',d=[],h=[])
E('cp.async.bulk.shared::cta.global'+MB+' [%r1], [%d1], %r2, [%r3]')
E('cp.async.bulk.shared::cta.global'+MB+'.L2::cache_hint [%r1], [%d1], %r2, [%r3], %d5')
E('cp.async.bulk.shared::cluster.global'+MB+' [%r1], [%d1], %r2, [%r3]')
E('cp.async.bulk.shared::cluster.global'+MB+'.L2::cache_hint [%r1], [%d1], 512, [%r3], %d5')
E('cp.async.bulk.shared::cluster.global'+MB+'.multicast::cluster [%r1], [%d1], %r2, [%r3], %h1')
E('cp.async.bulk.shared::cluster.global'+MB+'.multicast::cluster.L2::cache_hint [%r1], [%d1], %r2, [%r3], %h1, %d5')
E('cp.async.bulk.shared::cluster.shared::cta'+MB+' [%r1], [%r4], %r2, [%r3]')
E('cp.async.bulk.global.shared::cta.bulk_group<h> [%d1], [%r1], %r2',h=[''])
E('cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%d1], [%r1], %r2, %d5')
E('cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1], [%r1], %r2, %h1')
E('cp.async.bulk.prefetch.L2.global [%d1], %r2')
E('cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d1], %r2, %d5')
E('cp.async.bulk.commit_group')
E('cp.async.bulk.wait_group<r> <n>',r=opt('.read'),n=['0','2'])
E('cp.reduce.async.bulk.shared::cluster.shared::cta'+MB+'<o><t> [%r1], [%r4], %r2, [%r3]',o=['.and','.or','.xor','.add','.inc','.dec','.min','.max'],t=['.b32','.u32','.s32','.b64','.u64','.s64'])
E('cp.reduce.async.bulk.global.shared::cta.bulk_group<h><o><t> [%d1], [%r4], %r2',h=[''],o=['.and','.or','.xor','.add','.inc','.dec','.min','.max','.add.noftz'],t=['.b32','.u32','.s32','.b64','.u64','.s64','.f16','.bf16','.f32','.f64'])
E('cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%d1], [%r4], %r2, %d5')
for n in range(1,6):
    co='{'+','.join('%%r%d'%(10+i) for i in range(n))+'}'; d='.%dd'%n
    for ld in opt('.tile'):
        for dst in ('.shared::cluster','.shared::cta'):
            E('cp.async.bulk.tensor'+d+dst+'.global'+ld+MB+' [%r1], [%d1, '+co+'], [%r2]')
            E('cp.async.bulk.tensor'+d+dst+'.global'+ld+MB+'.L2::cache_hint [%r1], [%d1, '+co+'], [%r2], %d5')
        E('cp.async.bulk.tensor'+d+'.shared::cluster.global'+ld+MB+'.multicast::cluster [%r1], [%d1, '+co+'], [%r2], %h1')
        E('cp.async.bulk.tensor'+d+'.shared::cluster.global'+ld+MB+'.multicast::cluster.L2::cache_hint [%r1], [%d1, '+co+'], [%r2], %h1, %d5')
        E('cp.async.bulk.tensor'+d+'.global.shared::cta'+ld+'.bulk_group [%d1, '+co+'], [%r1]')
        E('cp.async.bulk.tensor'+d+'.global.shared::cta'+ld+'.bulk_group.L2::cache_hint [%d1, '+co+'], [%r1], %d5')
        E('cp.async.bulk.prefetch.tensor'+d+'.L2.global'+ld+' [%d1, '+co+']')
        E('cp.async.bulk.prefetch.tensor'+d+'.L2.global'+ld+'.L2::cache_hint [%d1, '+co+'], %d5')
        for o in ('.add','.min','.max','.inc','.dec','.and','.or','.xor'): E('cp.reduce.async.bulk.tensor'+d+'.global.shared::cta'+o+ld+'.bulk_group [%d1, '+co+'], [%r1]')
        E('cp.reduce.async.bulk.tensor'+d+'.global.shared::cta.add'+ld+'.bulk_group.L2::cache_hint [%d1, '+co+'], [%r1], %d5')
    if n>=3:
        off='{'+','.join('%%h%d'%(i+1) for i in range(n-2))+'}'
        E('cp.async.bulk.tensor'+d+'.shared::cluster.global.im2col'+MB+' [%r1], [%d1, '+co+'], [%r2], '+off)
        E('cp.async.bulk.tensor'+d+'.global.shared::cta.im2col_no_offs.bulk_group [%d1, '+co+'], [%r1]')
        E('cp.async.bulk.prefetch.tensor'+d+'.L2.global.im2col [%d1, '+co+'], '+off)
        E('cp.reduce.async.bulk.tensor'+d+'.global.shared::cta.add.im2col_no_offs.bulk_group [%d1, '+co+'], [%r1]')
E('tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d2')
E('tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, %r2')
E('tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r1], 128')
# outside
E('multimem.ld_reduce.relaxed.gpu.global.add.f32 %f1, [%d1]')
E('multimem.red.relaxed.gpu.global.add.u32 [%d1], %r1')
E('multimem.st.relaxed.gpu.global.u32 [%d1], %r1')
E('vadd.s32.s32.s32 %r1, %r2, %r3')
E('vadd4.s32.s32.s32 %r1, %r2, %r3, %r4')
E('vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4')
E('vset4.u32.u32.eq %r1, %r2, %r3, %r4')
E('vshl.u32.u32.u32.clamp %r1, %r2, %r3')
E('vmad.s32.s32.s32 %r1, %r2, %r3, %r4')
E('vmin.s32.s32.s32 %r1,%r2,%r3')
E('vavrg4.s32.s32.s32 %r1,%r2,%r3,%r4')
E('vsub2.s32.s32.s32 %r1,%r2,%r3,%r4')
E('tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1,%f2}]')
E('suld.b.1d.b32.trap %r1, [%d1, {%r2}]')
E('txq.width.b32 %r1, [%d1]')
E('istypep.texref %p1, %d1')
