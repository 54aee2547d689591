// LLVM's pass manager is C++: this much of it, and the pass is C (hotspots.c).
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

extern "C" void hotspots(LLVMModuleRef);

namespace
{

struct Hotspots : PassInfoMixin<Hotspots> {
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
	{
		hotspots(wrap(&M));
		return PreservedAnalyses::all();
	}
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "hotspots", "1", [](PassBuilder &PB) {
			PB.registerPipelineParsingCallback(
				[](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
					if (Name != "hotspots")
						return false;
					MPM.addPass(Hotspots());
					return true;
				});
		}};
}
